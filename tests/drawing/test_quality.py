"""The controller of the quality converges without flicker."""

from __future__ import annotations

from snakestudio.drawing.quality import AdaptiveQuality, Quality


def _run(
    costs: dict[Quality, float], frames: int = 600, **options
) -> tuple[AdaptiveQuality, list[Quality]]:
    control = AdaptiveQuality(**options)
    levels = []
    for _ in range(frames):
        levels.append(control.add(costs[control.level]))
    return control, levels


FAST = {Quality.LOW: 0.002, Quality.MEDIUM: 0.003, Quality.HIGH: 0.006}
SLOW = {Quality.LOW: 0.050, Quality.MEDIUM: 0.080, Quality.HIGH: 0.200}
SOFTWARE = {Quality.LOW: 0.014, Quality.MEDIUM: 0.024, Quality.HIGH: 0.050}


def test_graphics_card_gets_the_best_and_never_full():
    control, levels = _run(FAST)
    assert control.level is Quality.HIGH
    assert Quality.FULL not in levels


def test_slow_machine_gets_the_lowest():
    assert _run(SLOW)[0].level is Quality.LOW


def test_software_rendering_settles_in_the_middle():
    control, levels = _run({**SOFTWARE, Quality.LOW: 0.020}, frames=4000)
    assert control.level is Quality.MEDIUM
    assert levels[-2000:].count(Quality.MEDIUM) == 2000


def test_level_known_to_be_slow_is_not_tried_again():
    tempting = {Quality.LOW: 0.004, Quality.MEDIUM: 0.010, Quality.HIGH: 0.050}
    levels = _run(tempting, frames=6000)[1]
    changes = [
        k
        for k in range(1, len(levels))
        if levels[k] is Quality.HIGH and levels[k - 1] is not Quality.HIGH
    ]
    assert len(changes) == 1


def test_quality_recovers_after_load():
    control = AdaptiveQuality()
    for load, frames in ((1.0, 200), (2.5, 300), (1.0, 600)):
        for _ in range(frames):
            control.add(load * SOFTWARE[control.level])
        assert control.level is (Quality.LOW if load > 1 else Quality.MEDIUM)


def test_failures_increase_the_waiting_time():
    """A level that looks fast and is slow, repeatedly: the attempts become rare."""
    control = AdaptiveQuality(start=Quality.LOW)
    tries = []
    level = Quality.LOW
    for k in range(20000):
        # The better level is fast enough for a while, then not; the lower one always looks as if
        # the better would do.
        seconds = 0.010 if control.level is Quality.LOW or k % 40 < 12 else 0.060
        now = control.add(seconds)
        if now > level and level is Quality.LOW:
            tries.append(k)
        level = now
    assert len(tries) < 60


def test_single_slow_frames_do_not_matter():
    control = AdaptiveQuality(start=Quality.HIGH)
    for k in range(400):
        control.add(0.5 if k % 20 == 0 else 0.010)
    assert control.level is Quality.HIGH


def test_reset_clears_the_failures():
    control, _ = _run({**SOFTWARE, Quality.MEDIUM: 0.010}, frames=300)
    control.reset()
    for _ in range(40):
        control.add(0.002)
    assert control.level is Quality.HIGH


def test_full_is_not_an_initial_level():
    assert AdaptiveQuality(start=Quality.FULL).level is Quality.HIGH
