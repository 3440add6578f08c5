"""Targets of streams on the command line."""

from __future__ import annotations

import pytest

from snakestudio.errors import UsageError
from snakestudio.stream.target import parse_target


@pytest.mark.parametrize(
    ("text", "kind", "address", "is_open"),
    [
        ("", "foxglove", "127.0.0.1:8765", False),
        ("9000", "foxglove", "127.0.0.1:9000", False),
        (":9000", None, "", False),
        ("0.0.0.0:9000", "foxglove", "0.0.0.0:9000", True),
        ("localhost", "foxglove", "localhost:8765", False),
        ("lab-pc.example:80", "foxglove", "lab-pc.example:80", True),
        ("[::1]:9000", "foxglove", "[::1]:9000", False),
        ("rerun", "rerun", "127.0.0.1:9876", False),
        ("rerun:9000", "rerun", "127.0.0.1:9000", False),
        ("rerun:10.0.0.3:9000", "rerun", "10.0.0.3:9000", False),
        ("rerun:run.rrd", "rrd", "run.rrd", False),
    ],
)
def test_target_is_parsed(text: str, kind: str | None, address: str, is_open: bool) -> None:
    if kind is None:
        with pytest.raises(UsageError, match=r"\[HOST:\]PORT"):
            parse_target(text)
        return
    target = parse_target(text)
    assert (target.kind, target.address, target.is_open) == (kind, address, is_open)
    assert bool(target.warning) == is_open


@pytest.mark.parametrize(
    "text", ["70000", "a:b", "1:2:3", "rerun:", "rerun:0", "host:-1", "http://x:80", "a b:80", "²"]
)
def test_invalid_target_is_reported_with_the_format(text: str) -> None:
    with pytest.raises(UsageError, match=r"PORT|brackets|port 0"):
        parse_target(text)


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), float("inf"), 1001.0])
def test_rate_out_of_range_is_refused(rate: float) -> None:
    with pytest.raises(UsageError, match="above 0 and up to 1000 Hz"):
        parse_target("9000", rate)
