def attack():
    import npusim.asc as facade
    facade.sub = facade.add
    for name in list(vars(facade)):
        setattr(facade, name, facade.add)
