"""Read, group, join and write a table."""

import pandas

with open("/tmp/sales.csv", "w") as file:
    file.write("day,region,amount\n")
    for number in range(1000):
        file.write(f"2024-{number % 12 + 1:02}-{number % 28 + 1:02},{'north' if number % 3 else 'south'},{number}\n")

sales = pandas.read_csv("/tmp/sales.csv", parse_dates=["day"])
by_region = sales.groupby("region")["amount"].sum()
assert by_region.sum() == sum(range(1000)), by_region
monthly = sales.set_index("day")["amount"].resample("MS").mean()
assert len(monthly) == 12, monthly
names = pandas.DataFrame({"region": ["north", "south"], "head": ["Ada", "Grace"]})
joined = sales.merge(names, on="region").pivot_table(index="head", values="amount", aggfunc="count")
joined.to_csv("output/heads.csv")
assert pandas.read_csv("output/heads.csv")["amount"].sum() == 1000
local = sales["day"].dt.tz_localize("Europe/Berlin")
assert str(local.dt.tz) == "Europe/Berlin"
print("pandas works")
