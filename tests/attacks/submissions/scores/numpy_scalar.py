def attack():
    import numpy
    return numpy.float64(0.0)
