def attack():
    raise ValueError("<script>document.title='stolen'</script>")
