"""Draw a figure and save it as pixels and as a document; there is no display, and the cache of fonts is made anew."""

import os

import matplotlib
import matplotlib.pyplot as plot

assert matplotlib.get_backend().lower() == "agg", matplotlib.get_backend()
figure, axes = plot.subplots()
axes.plot([x / 10 for x in range(100)], [(x / 10) ** 2 for x in range(100)], label="$x^2$")
axes.set_title("A parabola – größer als eine Gerade")
axes.legend()
for name, start in ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml"):
    figure.savefig(f"output/figure.{name}")
    with open(f"output/figure.{name}", "rb") as file:
        assert file.read(len(start)) == start, name
    assert os.stat(f"output/figure.{name}").st_size > 1000
print("matplotlib works")
