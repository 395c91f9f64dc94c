"""Summarise sales.csv by region and month: a table on the screen, output/summary.csv and output/chart.svg.

Only the standard library. `sales.csv` is looked for in the working directory.
"""

import csv
import sys
from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from html import escape
from math import floor, log10
from pathlib import Path

SOURCE = Path("sales.csv")
OUTPUT = Path("output")
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
COLOURS = ["#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#9c6b4e", "#97bbf5"]


@dataclass
class Cell:
    """What one region sold in one month."""

    revenue: Decimal = Decimal(0)
    orders: int = 0

    @property
    def average(self) -> Decimal:
        return (self.revenue / self.orders).quantize(Decimal("0.01")) if self.orders else Decimal(0)

    def __add__(self, other: "Cell") -> "Cell":
        return Cell(self.revenue + other.revenue, self.orders + other.orders)


Table = dict[str, dict[str, Cell]]


def read(path: Path) -> Table:
    """Sales by region, then by month (`2025-03`)."""
    table: Table = defaultdict(lambda: defaultdict(Cell))
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cell = table[row["region"]][row["date"][:7]]
            cell.revenue += int(row["quantity"]) * Decimal(row["unit_price"])
            cell.orders += 1
    return {region: dict(sorted(table[region].items())) for region in sorted(table)}


def write_summary(table: Table, path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["region", "month", "revenue", "orders", "average"])
        for region, months in table.items():
            for month, cell in months.items():
                writer.writerow([region, month, cell.revenue, cell.orders, cell.average])


def print_table(table: Table) -> None:
    print(f"{'region':<12} {'revenue':>12} {'orders':>7} {'average':>9}  best month")
    total = Cell()
    for region, months in table.items():
        sum_of = sum(months.values(), Cell())
        best = max(months, key=lambda month: months[month].revenue)
        print(f"{region:<12} {sum_of.revenue:>12,} {sum_of.orders:>7} {sum_of.average:>9,}  {label(best)}")
        total += sum_of
    print(f"{'all regions':<12} {total.revenue:>12,} {total.orders:>7} {total.average:>9,}")


def label(month: str) -> str:
    year, number = month.split("-")
    return f"{MONTHS[int(number) - 1]} {year}"


def round_step(largest: float, lines: int = 5) -> float:
    """A step of 1, 2 or 5 times a power of ten that takes about `lines` lines to reach `largest`."""
    raw = largest / lines
    power = 10.0 ** floor(log10(raw))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw)


def draw(table: Table) -> str:
    """A chart of stacked bars: one bar a month, one colour a region."""
    width, height, left, right, top, bottom = 860, 440, 76, 20, 78, 56
    months = sorted({month for row in table.values() for month in row})
    totals = [sum(row[month].revenue for row in table.values() if month in row) for month in months]
    step = round_step(float(max(totals)))
    ceiling = step * -(-float(max(totals)) // step)
    plot_width, plot_height = width - left - right, height - top - bottom
    slot = plot_width / len(months)

    def y(value: float) -> float:
        return top + plot_height * (1 - value / ceiling)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' font-family="system-ui, sans-serif" font-size="12" fill="#333">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="28" font-size="18" font-weight="600">Revenue by month and region</text>',
    ]
    for index, region in enumerate(table):
        x = left + 110 * index
        parts.append(f'<rect x="{x}" y="44" width="12" height="12" fill="{COLOURS[index % len(COLOURS)]}"/>')
        parts.append(f'<text x="{x + 18}" y="54">{escape(region)}</text>')

    for line in range(round(ceiling / step) + 1):
        value = line * step
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value:,.0f}</text>')

    for position, month in enumerate(months):
        x = left + slot * position
        base = 0.0
        for index, (region, row) in enumerate(table.items()):
            revenue = float(row[month].revenue) if month in row else 0.0
            if revenue:
                parts.append(
                    f'<rect x="{x + slot * 0.14:.1f}" y="{y(base + revenue):.1f}" width="{slot * 0.72:.1f}"'
                    f' height="{y(base) - y(base + revenue):.1f}" fill="{COLOURS[index % len(COLOURS)]}">'
                    f"<title>{escape(region)}, {label(month)}: {revenue:,.2f}</title></rect>"
                )
            base += revenue
        parts.append(f'<text x="{x + slot / 2:.1f}" y="{height - bottom + 18}" text-anchor="middle">{label(month)[:3]}</text>')

    axis = height - bottom
    parts.append(f'<line x1="{left}" x2="{width - right}" y1="{axis}" y2="{axis}" stroke="#333"/>')
    parts.append(f'<text x="{left + plot_width / 2}" y="{height - 12}" text-anchor="middle">{span(months)}</text>')
    middle = top + plot_height / 2
    parts.append(f'<text x="16" y="{middle}" text-anchor="middle" transform="rotate(-90 16 {middle})">revenue</text>')
    return "\n".join([*parts, "</svg>", ""])


def span(months: list[str]) -> str:
    first, last = label(months[0]), label(months[-1])
    return first if first == last else f"{first} to {last}"


def main() -> int:
    if not SOURCE.exists():
        print(f"{SOURCE} is not in the working directory: give it with --input examples/data/sales.csv", file=sys.stderr)
        return 2
    table = read(SOURCE)
    if not table:
        print(f"{SOURCE} has no rows", file=sys.stderr)
        return 2
    OUTPUT.mkdir(exist_ok=True)
    write_summary(table, OUTPUT / "summary.csv")
    (OUTPUT / "chart.svg").write_text(draw(table), encoding="utf-8")
    print_table(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
