"""Values survive the way through the pipe, and nothing else does."""

import json
import os
import pickle
import struct
import threading
from functools import partial

import numpy as np
import pandas as pd
import pytest

from grading import wire
from grading.wire import WireError, pack, unpack

VALUES = [None, True, -3, 10**40, 2.5, float("inf"), "naïve ε", [1, [2.0, "x"], (3, None)], {"a": [1, 2], "": {}}]
VALUES += [np.float32(1.5), np.int64(3), np.bool_(True)]

ARRAYS = [
    np.arange(6).reshape(2, 3),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    np.array(7.5),
    np.zeros((0, 4), np.uint8),
    np.array([True, False]),
    np.array(["a", "bcd"]),
    np.array([1 + 2j]),
    np.array([b"2020-01-01"], "M8[D]"),
    np.array(["a", None, "c"], object),
    np.array([np.nan, -0.0]),
]

TABLES = [
    pd.DataFrame({"n": [1, 2], "x": [0.5, np.nan], "yes": [True, False], "text": ["a", None]}, index=[5, 7]),
    pd.DataFrame({"n": [1, 2]}).set_index(pd.Index(["a", "b"], name="key")),
    pd.crosstab(pd.Series([1, 1, 2], name="row"), pd.Series(["u", "v", "v"], name="column")),
    pd.DataFrame({"a": [1, 1, 2], "b": ["u", "v", "v"], "c": 1}).groupby(["a", "b"])["c"].sum(),
    pd.DataFrame([[1, 2]], columns=["same", "same"]),
    pd.DataFrame(index=[1, 2]),
    pd.Series([1, None], dtype="Int64", name="n"),
    pd.Series([True, None], dtype="boolean"),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_plain_values_come_back_as_they_are(value):
    back = unpack(pack(value))
    assert back == value
    assert type(back) is type(value)


def test_what_is_no_number_comes_back_as_no_number():
    assert np.isnan(unpack(pack(float("nan"))))


@pytest.mark.parametrize("value", ARRAYS, ids=lambda value: f"{value.dtype}{value.shape}")
def test_arrays_come_back_as_they_are(value):
    back = unpack(pack(value))
    np.testing.assert_array_equal(back, value)
    assert (back.dtype, back.shape) == (value.dtype, value.shape)
    assert back.flags.writeable


def test_an_array_that_may_not_be_changed_stays_so():
    value = np.arange(3)
    value.flags.writeable = False
    assert not unpack(pack(value)).flags.writeable


def test_an_array_of_another_class_comes_back_as_an_array():
    class Mine(np.ndarray):
        pass

    assert type(unpack(pack(np.arange(3).view(Mine)))) is np.ndarray


@pytest.mark.parametrize("value", TABLES, ids=lambda value: type(value).__name__)
def test_tables_come_back_as_they_are(value):
    same = pd.testing.assert_frame_equal if isinstance(value, pd.DataFrame) else pd.testing.assert_series_equal
    same(unpack(pack(value)), value)


def test_categories_come_back_as_text():
    value = pd.Series(["b", "a"], dtype="category")
    pd.testing.assert_series_equal(unpack(pack(value)), pd.Series(["b", "a"], dtype="str"))


def test_a_generator_goes_on_where_it_was():
    here = np.random.default_rng(5)
    here.integers(10, size=3, dtype=np.uint32)  # leaves half a number in the generator
    there = unpack(pack(here))
    assert there.integers(10, size=9).tolist() == here.integers(10, size=9).tolist()


def test_a_generator_moves_on():
    here, there = np.random.default_rng(5), np.random.default_rng(5)
    there.random(7)
    wire.move_on(here, unpack(pack(there)))
    assert here.random() == there.random()


def test_another_generator_is_not_taken_over():
    here, other = np.random.default_rng(5), np.random.default_rng(6)
    before = here.bit_generator.state
    for wrong in (other, 3, None):
        with pytest.raises(WireError, match="another"):
            wire.move_on(here, wrong)
    assert here.bit_generator.state == before


@pytest.mark.parametrize(
    "value",
    [
        ...,
        object(),
        print,
        {1: 2},
        {1},
        b"bytes",
        np.array([object()]),
        np.array([(1, 2.0)], "i4,f8"),
        pd.Series([[1]]),
        np.random.Generator(np.random.MT19937(1)),
        pd.Series([pd.Timestamp("2020-01-01", tz="UTC")]),
        int("9" * 4000) ** 2,
    ],
    ids=lambda value: type(value).__name__,
)
def test_nothing_else_can_be_sent(value):
    with pytest.raises(TypeError, match=r"handed over|default_rng"):
        pack(value)


def test_what_is_nested_without_end_or_too_large_can_not_be_sent():
    endless = []
    endless.append(endless)
    for value in (endless, np.zeros(wire.LIMIT // 8 + 1)):
        with pytest.raises(TypeError, match="handed over"):
            pack(value)


def message(code, rest=b""):
    text = code if isinstance(code, bytes) else json.dumps(code).encode()
    return struct.pack(">I", len(text)) + text + rest


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00",
        pickle.dumps(print),
        message(b"\xff"),
        message(b"[" * 100_000),
        message(b"9" * 5000),
        message({"no": "kind"}),
        message([]),
        message(["no such kind", 1]),
        message([["list"], 1]),
        message(["list", 3]),
        message(["list", [], []]),
        message(["dict", [1]]),
        message(["array", "<f8", [3]], b"too short"),
        message(["array", "<f8", [-1]]),
        message(["array", "<f8", [10**15]]),
        message(["array", "<f8", [True]], bytes(8)),
        message(["array", "|O", [1]], bytes(8)),
        message(["array", "|V8", [1]], bytes(8)),
        message(["array", "<f8,<f8", [1]], bytes(16)),
        message(["array", "<f3", [1]], bytes(3)),
        message(["array", "<f8", [0] * 100]),
        message(["objects", [["list", []]], [1]]),
        message(["objects", [1, 2], [3]]),
        message(["scalar", ["rng", 1, 2, 3, 4]]),
        message(["rng", 1, 2]),
        message(["rng", -1, 1, 0, 0]),
        message(["rng", 1, 1 << 200, 0, 0]),
        message(["rng", 1.5, "x", None, 0]),
        message(["extension", "object", [1]]),
        message(["extension", "Int64", ["x"]]),
        message(["range", 0, 10**12, 1, None]),
        message(["range", 0, 5, 0, None]),
        message(["series", ["array", "<f8", [1]], ["range", 0, 2, 1, None], None], bytes(8)),
        message(["frame", [["array", "<f8", [1]]], ["range", 0, 1, 1, None], ["range", 0, 2, 1, None]], bytes(8)),
    ],
    ids=lambda data: repr(data[:40]),
)
def test_other_bytes_are_refused(data):
    with pytest.raises(WireError):
        unpack(data)


def test_random_changes_of_a_message_give_a_value_or_an_error_of_ours():
    good = pack({"table": TABLES[0], "array": np.arange(5), "rng": np.random.default_rng(1), "text": ["a", 1.5]})
    rng, refused = np.random.default_rng(11), 0
    for _ in range(2000):
        data = bytearray(good)
        for place in rng.integers(len(data), size=3):
            data[place] = rng.integers(256)
        try:
            unpack(bytes(data))
        except WireError:
            refused += 1
    assert refused > 200


def test_half_a_surrogate_pair_can_be_written_to_a_file_afterwards():
    assert unpack(message(["list", ["\ud800", "a"]])) == ["?", "a"]


def test_truth_values_are_0_or_1():
    back = unpack(message(["array", "|b1", [3]], bytes([0, 2, 255])))
    assert back.tolist() == [False, True, True]
    assert back.sum() == 2


@pytest.fixture
def pipe():
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def test_messages_go_through_a_pipe_one_after_the_other(pipe):
    reader, writer = pipe
    values = [np.arange(200_000), "second"]
    sender = threading.Thread(target=lambda: [wire.send(writer, value, lambda: None) for value in values])
    sender.start()
    first, second = (wire.receive(reader, lambda: None) for _ in values)
    sender.join()
    assert (first == values[0]).all()
    assert second == "second"


def third_time(seen):
    """Give up waiting at the third time, which ``seen`` counts."""
    if len(seen) == 3:
        raise TimeoutError
    seen.append(1)


def test_who_waits_may_give_up(pipe):
    reader, writer = pipe
    with pytest.raises(TimeoutError):
        wire.receive(reader, partial(third_time, []))
    with pytest.raises(TimeoutError):  # nobody reads, and a pipe holds 64 kB
        wire.send(writer, np.zeros(100_000), partial(third_time, [1]))


AMPLIFIED = {
    "a number for 67 million rows": ["frame", [1.5], ["range", 0, 67_000_000, 1, None], ["range", 0, 1, 1, None]],
    "a text for a million rows": ["frame", ["x"], ["range", 0, 1_000_000, 1, None], ["range", 0, 1, 1, None]],
    "a number for a series": ["series", 1.5, ["range", 0, 67_000_000, 1, None], None],
    "a scalar for a series": ["series", ["scalar", ["array", "<f8", []]], ["range", 0, 9_000_000, 1, None], None],
    "one row for many": ["frame", [["list", [1]]], ["range", 0, 67_000, 1, None], ["range", 0, 1, 1, None]],
    "an index of nothing": ["range", 0, 67_000_000, 1, None],
    "a table of nothing": ["frame", [], ["range", 0, 67_000_000, 1, None], ["range", 0, 0, 1, None]],
    "half a million lists": ["list", [["list", []]] * 700_000],
}


@pytest.mark.parametrize("code", AMPLIFIED.values(), ids=AMPLIFIED)
def test_a_short_message_fills_no_memory(code):
    with pytest.raises(WireError):
        unpack(message(code, bytes(8)))


def test_a_table_of_many_rows_has_their_data():
    table = pd.DataFrame({"x": np.zeros(1_500_000, np.int8)})
    pd.testing.assert_frame_equal(unpack(pack(table)), table)


def test_a_message_that_is_announced_as_too_long_is_not_waited_for(pipe):
    reader, writer = pipe
    os.write(writer, struct.pack(">Q", wire.LIMIT + 1))
    with pytest.raises(WireError, match="MB"):
        wire.receive(reader, partial(third_time, []))


def test_the_end_of_the_other_side_is_noticed():
    reader, writer = os.pipe()
    os.write(writer, struct.pack(">Q", 100) + b"half")
    os.close(writer)
    with pytest.raises(EOFError):
        wire.receive(reader)
    os.close(reader)
