"""How llu's lists are sized, and how often they are walked."""

import pytest

from malloom.bench.splitting.llu import every_row, walks_for


@pytest.mark.parametrize(
    ("whole", "walking", "walks", "needed"),
    [(2.0, 1.0, 1, 9), (1.1, 1.0, 10, 9), (1.0, 1.0, 4, 1), (1.0, 0.0, 3, 3)],
)
def test_walks_make_nine_tenths_of_the_time(whole: float, walking: float, walks: int, needed: int) -> None:
    assert walks_for(whole, walking, walks) == needed


def test_the_papers_case_takes_at_most_half_of_the_last_level() -> None:
    papers, *_ = every_row(last_level=32 << 20, second_level=2 << 20, sizes=())
    assert papers.bytes == 16 << 20
    papers, *_ = every_row(last_level=480 << 20, second_level=2 << 20, sizes=())
    assert (papers.count, papers.bytes, papers.limit) == (341, 32 << 20, 0.48)


def test_only_the_longest_list_must_take_half_of_the_time() -> None:
    _, *others = every_row(last_level=1 << 20, second_level=1 << 15, sizes=("0.5x", "2x", "8x"))
    assert [(each.count, each.limit) for each in others] == [(1, 1.01), (1, 1.01), (1, 0.48)]
