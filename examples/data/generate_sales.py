"""Writes sales.csv: four hundred orders of a made-up tool shop in 2025, the same on every machine."""

import csv
from datetime import date, timedelta
from pathlib import Path
from random import Random

ORDERS = 400
REGIONS = {"North": 1.0, "South": 0.8, "East": 0.55, "West": 1.25}
PRODUCTS = {"Hand saw": 24.90, "Claw hammer": 18.50, "Cordless drill": 129.00, "Workbench": 249.00, "Screw set": 9.95}
POPULARITY = [5, 7, 4, 1, 12]
# Spring is for gardens and December for presents.
SEASON = [0.7, 0.7, 1.0, 1.4, 1.5, 1.2, 0.9, 0.8, 1.0, 1.1, 1.3, 1.8]


def orders(random: Random):
    days = [date(2025, 1, 1) + timedelta(days=offset) for offset in range(365)]
    weights = [SEASON[day.month - 1] * (0.4 if day.weekday() == 6 else 1.0) for day in days]
    for number, day in enumerate(sorted(random.choices(days, weights, k=ORDERS)), start=10_001):
        region = random.choices(list(REGIONS), list(REGIONS.values()))[0]
        product = random.choices(list(PRODUCTS), POPULARITY)[0]
        quantity = random.choices([1, 2, 3, 5, 10], [10, 5, 3, 2, 1])[0]
        price = PRODUCTS[product] * (0.9 if quantity == 10 else 1.0)
        yield [number, day.isoformat(), region, product, quantity, f"{price:.2f}"]


def main() -> None:
    with Path(__file__).with_name("sales.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["order", "date", "region", "product", "quantity", "unit_price"])
        writer.writerows(orders(Random(20_25)))


if __name__ == "__main__":
    main()
