"""Time zones from the system's data: summer time, a fold, and a zone with a quarter of an hour."""

import os
import time
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

assert len(available_timezones()) > 300
berlin = ZoneInfo("Europe/Berlin")
assert datetime(2024, 7, 1, tzinfo=berlin).utcoffset() == timedelta(hours=2)
assert datetime(2024, 1, 1, tzinfo=berlin).tzname() == "CET"
twice = datetime(2024, 10, 27, 2, 30, tzinfo=berlin)
assert twice.utcoffset() - twice.replace(fold=1).utcoffset() == timedelta(hours=1)
assert datetime(2024, 1, 1, tzinfo=ZoneInfo("Asia/Kathmandu")).utcoffset() == timedelta(hours=5, minutes=45)
os.environ["TZ"] = "America/New_York"
time.tzset()
assert time.localtime(1_720_000_000).tm_gmtoff == -4 * 3600
print("zoneinfo works")
