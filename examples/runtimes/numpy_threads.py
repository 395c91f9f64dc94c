"""Multiply matrices, with the threads of the linear algebra library and with threads of our own.

OpenBLAS maps 128 MiB for each of them, which counts where no controller counts the memory of a run.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy

generator = numpy.random.default_rng(7)
a, b = generator.random((700, 700)), generator.random((700, 700))
product = a @ b
assert numpy.isclose(product[3, 5], sum(a[3, k] * b[k, 5] for k in range(700)))

inverse = numpy.linalg.inv(a)
assert numpy.allclose(a @ inverse, numpy.eye(700), atol=1e-6)

with ThreadPoolExecutor(4) as pool:
    for part in pool.map(lambda seed: (a * seed) @ b, range(1, 17)):
        assert part.shape == (700, 700)

numpy.save("/tmp/product.npy", product)
mapped = numpy.load("/tmp/product.npy", mmap_mode="r")
assert numpy.array_equal(mapped, product)
print("numpy works")
