"""What is read of an optimisation record."""

from malloom.bench.splitting.remark_file import alias_sets

RECORD = """--- !Analysis
Pass:            malloom
Name:            AliasSet
Function:        main
Args:
  - String:          'an alias set, proven for '
  - Proven:          splitting
  - String:          ', is '
  - Treatment:       split
  - String:          '; places that request it: '
  - Requests:        '2'
  - String:          '; its number: '
  - Number:          '0'
...
--- !Passed
Pass:            malloom
Name:            Split
DebugLoc:        { File: list.c, Line: 3, Column: 5 }
Function:        main
Args:
  - String:          'objects of '
  - Bytes:           '64'
...
--- !Analysis
Pass:            malloom
Name:            AliasSet
Function:        read
Args:
  - Proven:          pools
  - Treatment:       pooled
  - Number:          '1'
...
--- !Missed
Pass:            malloom
Name:            NotSplit
Function:        read
Args:
  - String:          'not split, an object '
  - Reason:          is accessed outside
...
--- !Analysis
Pass:            malloom
Name:            AliasSet
Function:        other
Args:
  - Proven:          nothing
  - Treatment:       left as it was
  - Number:          '2'
...
--- !Missed
Pass:            malloom
Name:            NotPooled
Function:        other
Args:
  - String:          'not from pools, an object '
  - Reason:          'its bytes: ''all'' of them'
...
"""


def test_sets_are_counted_by_what_became_of_them() -> None:
    sets = alias_sets(RECORD)
    assert (sets.found, sets.proven, sets.pooled, sets.split) == (3, 2, 1, 1)


def test_reasons_are_those_against_pools() -> None:
    assert alias_sets(RECORD).reasons == {"its bytes: 'all' of them": 1}


def test_a_program_without_a_heap_has_none() -> None:
    sets = alias_sets("")
    assert (sets.found, sets.proven, sets.reasons) == (0, 0, {})
