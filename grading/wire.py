"""Values as bytes, and back: what the grader and a student's process may tell each other.

A message is a JSON text followed by the raw numbers of its arrays. Nothing in it is ever executed, as a pickle's
content would be: reading a message builds numbers, texts, lists, dictionaries, arrays and tables, or it raises
`WireError`. The student's process holds the other end of the pipe and may send any bytes, so everything is checked.

This file runs on both sides; in the sandbox it stands alone beside worker.py, and pandas is loaded only when needed.
"""

import json
import math
import os
import re
import select
import struct
import sys

import numpy as np

LIMIT = 64 << 20  # bytes of one message
TEXT_LIMIT = 8 << 20  # bytes of its JSON: each becomes up to 30 in memory, where those of arrays stay one
ROWS = 1 << 20  # of an index that has no data beside it, which costs nothing to announce
PAUSE = 0.1  # seconds between two ticks
DTYPE = re.compile(r"[<>|](?:[biufc]\d{1,2}|U\d{1,6}|[mM]8\[\w{1,5}\])")
# pandas' own column types that may cross, with missing values as None.
EXTENSIONS = ("str", "string", "boolean", *(f"{kind}{bits}" for kind in ("Int", "UInt") for bits in (8, 16, 32, 64)))
EXTENSIONS += ("Float32", "Float64")


class WireError(Exception):
    """A message that can't be read, or a value that can't be sent."""


# Messages on a pipe


def send(fd, value, tick=None):
    """Write one message; ``tick`` is called every now and then meanwhile, and may raise an error to end the waiting."""
    data = pack(value)
    unsent = memoryview(struct.pack(">Q", len(data)) + data)
    while unsent:
        _wait(tick, [], [fd])
        # A pipe that select calls writable takes at least this much without blocking.
        unsent = unsent[os.write(fd, unsent[: select.PIPE_BUF if tick else None]) :]


def receive(fd, tick=None):
    """Read one message; EOFError where the other side has ended. ``tick`` as in `send`."""
    (length,) = struct.unpack(">Q", _read(fd, 8, tick))
    if length > LIMIT:
        raise WireError(f"a message may have {LIMIT >> 20} MB")
    return unpack(_read(fd, length, tick))


def _read(fd, length, tick):
    data = bytearray()
    while len(data) < length:
        _wait(tick, [fd], [])
        chunk = os.read(fd, min(length - len(data), 1 << 20))
        if not chunk:
            raise EOFError("the process ended")
        data += chunk
    return bytes(data)


def _wait(tick, read, write):
    if tick is None:
        return
    tick()  # also where the other side sends byte by byte
    while not any(select.select(read, write, [], PAUSE)):
        tick()


# Values: what JSON has no word for is a list that begins with its kind


def pack(value):
    """Return the bytes of a value; TypeError says what can't be handed over."""
    arrays = []
    try:
        text = json.dumps(_encode(value, arrays)).encode()
    except (RecursionError, ValueError):  # the latter: an integer of thousands of digits
        raise TypeError("a value nested too deeply, or too large a number, can't be handed over") from None
    data = b"".join([struct.pack(">I", len(text)), text, *arrays])
    if len(data) > LIMIT or len(text) > TEXT_LIMIT:
        raise TypeError(f"{LIMIT >> 20} MB can be handed over at most, {TEXT_LIMIT >> 20} MB of lists and text")
    return data


def unpack(data):
    """Return the value of these bytes, or raise `WireError`."""
    try:
        (length,) = struct.unpack_from(">I", data)
        if length > TEXT_LIMIT:
            raise WireError(f"lists and text may have {TEXT_LIMIT >> 20} MB")
        return _Reader(memoryview(data)[4 + length :]).read(json.loads(data[4 : 4 + length]))
    except WireError:
        raise
    except Exception as error:  # the bytes may be anything, and so may what goes wrong
        raise WireError(f"not a message ({type(error).__name__})") from None


def _encode(value, arrays):
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, np.generic):
        return ["scalar", _encode_array(np.asarray(value), arrays)]
    if isinstance(value, (int, float)):
        return int(value) if isinstance(value, int) else float(value)
    if isinstance(value, (list, tuple)):
        return ["tuple" if isinstance(value, tuple) else "list", [_encode(item, arrays) for item in value]]
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise TypeError("a dictionary whose keys aren't text can't be handed over")
        return ["dict", {str(key): _encode(item, arrays) for key, item in value.items()}]
    if isinstance(value, np.ndarray):
        code = _encode_array(value, arrays)
        return code if value.flags.writeable else ["readonly", code]
    if isinstance(value, np.random.Generator):
        return ["rng", *_state(value)]
    return _encode_table(value, arrays)


def _encode_array(value, arrays):
    value = np.asarray(value)
    if value.dtype == object:
        items = value.ravel().tolist()
        if not all(item is None or isinstance(item, (bool, int, float, str)) for item in items):
            raise TypeError("an array of objects can't be handed over, only one of numbers or of text")
        return ["objects", [_encode(item, arrays) for item in items], list(value.shape)]
    if not DTYPE.fullmatch(value.dtype.str):
        raise TypeError(f"an array of {value.dtype} can't be handed over")
    arrays.append(np.ascontiguousarray(value).tobytes())
    return ["array", value.dtype.str, list(value.shape)]


def _encode_table(value, arrays):
    pd = sys.modules.get("pandas")  # where pandas isn't loaded, this is none of its objects
    if pd and isinstance(value, pd.DataFrame):
        columns = [_encode_column(value.iloc[:, i].array, arrays) for i in range(value.shape[1])]
        return ["frame", columns, _encode(value.index, arrays), _encode(value.columns, arrays)]
    if pd and isinstance(value, pd.Series):
        column = _encode_column(value.array, arrays)
        return ["series", column, _encode(value.index, arrays), _encode(value.name, arrays)]
    if pd and isinstance(value, pd.MultiIndex):
        levels = [_encode_column(value.get_level_values(i).array, arrays) for i in range(value.nlevels)]
        return ["levels", levels, _encode(list(value.names), arrays)]
    if pd and isinstance(value, pd.RangeIndex):
        return ["range", value.start, value.stop, value.step, _encode(value.name, arrays)]
    if pd and isinstance(value, pd.Index):
        return ["index", _encode_column(value.array, arrays), _encode(value.name, arrays)]
    if pd and isinstance(value, pd.api.extensions.ExtensionArray):
        return _encode_column(value, arrays)
    raise TypeError(f"a {type(value).__name__} can't be handed over")


def _encode_column(values, arrays):
    name = str(values.dtype)
    if name == "category":
        return _encode_column(values.astype(str).astype("str"), arrays)
    if name in EXTENSIONS:
        items = [None if missing else item for item, missing in zip(values.tolist(), values.isna(), strict=True)]
        return ["extension", name, [_encode(item, arrays) for item in items]]
    return _encode_array(values.to_numpy(), arrays)


class _Reader:
    """Builds the values of one message; ``numbers`` has those of its arrays, and ``rest`` those not yet read."""

    def __init__(self, numbers):
        self.numbers = self.rest = numbers

    def read(self, code):
        if isinstance(code, str):
            return code.encode("utf-8", "replace").decode()  # half a surrogate pair can't be written to a file
        if not isinstance(code, list):
            return self._plain(code)
        kind, *parts = code
        return getattr(self, f"read_{kind}")(*parts)

    def _plain(self, code):
        if code is None or isinstance(code, (bool, int, float)):
            return code
        raise WireError("not a message (a value without its kind)")

    def read_list(self, codes):
        return [self.read(code) for code in codes]

    def read_tuple(self, codes):
        return tuple(self.read_list(codes))

    def read_dict(self, codes):
        return {self.read(key): self.read(code) for key, code in codes.items()}

    def read_scalar(self, code):
        return self.read_array(*code[1:])[()]

    def read_array(self, dtype, shape):
        if not DTYPE.fullmatch(dtype) or not all(type(size) is int and size >= 0 for size in shape):
            raise WireError("not a message (no array is like this)")
        length = math.prod(shape) * np.dtype(dtype).itemsize
        if length > len(self.rest):
            raise WireError("not a message (numbers are missing)")
        data, self.rest = self.rest[:length], self.rest[length:]
        if dtype == "|b1":  # a byte beside 0 and 1 would be a truth value that arithmetic takes for another
            return (np.frombuffer(data, np.uint8) != 0).reshape(shape)
        return np.frombuffer(data, dtype).reshape(shape).copy()

    def read_readonly(self, code):
        values = self.read(code)
        values.flags.writeable = False
        return values

    def read_objects(self, codes, shape):
        values = np.empty(len(codes), object)
        values[:] = [self._plain(code) if not isinstance(code, str) else self.read(code) for code in codes]
        return values.reshape(shape)

    def read_rng(self, *numbers):
        rng = np.random.default_rng(0)
        _put(rng, numbers)
        return rng

    def read_extension(self, name, codes):
        if name not in EXTENSIONS:
            raise WireError("not a message (no column is like this)")
        return _pandas().array(self.read_list(codes), dtype=name)

    def read_range(self, start, stop, step, name):
        if len(range(start, stop, step)) > ROWS + len(self.numbers):
            raise WireError("not a message (too long an index)")
        return _pandas().RangeIndex(start, stop, step, name=self.read(name))

    def read_index(self, column, name):
        return _pandas().Index(self.read(column), name=self.read(name))

    def read_levels(self, levels, names):
        return _pandas().MultiIndex.from_arrays(self.read_list(levels), names=self.read(names))

    def read_series(self, column, index, name):
        # The parts are read in the order in which they were written: their numbers lie in this order.
        column, index = self.read(column), self.read(index)
        _same_length([column], index)
        return _pandas().Series(column, index=index, name=self.read(name))

    def read_frame(self, columns, index, labels):
        columns, index = self.read_list(columns), self.read(index)
        _same_length(columns, index)
        table = _pandas().DataFrame(dict(enumerate(columns)), index=index)
        table.columns = self.read(labels)
        return table


def _same_length(columns, index):
    """Refuse a table with a number for a column: one number for millions of rows would fill the memory."""
    if not all(len(column) == len(index) for column in columns):
        raise WireError("not a message (a column is shorter or longer than the index)")


def _pandas():
    import pandas

    return pandas


# Generators: only those of default_rng


def _state(rng):
    state = rng.bit_generator.state
    if state["bit_generator"] != "PCG64":
        raise TypeError("a generator must be one of np.random.default_rng")
    return state["state"]["state"], state["state"]["inc"], state["has_uint32"], state["uinteger"]


def _put(rng, numbers):
    position, increment, has_uint32, uinteger = numbers
    inner = {"state": position, "inc": increment}
    rng.bit_generator.state |= {"state": inner, "has_uint32": has_uint32, "uinteger": uinteger}


def move_on(rng, source):
    """Bring a generator to the state of another, which the other process has drawn numbers from.

    That process isn't trusted: only a state that drawing numbers can lead to is taken over. (With another increment,
    a generator may repeat one number for ever, and whoever draws from it waits for ever.)
    """
    if not isinstance(source, np.random.Generator) or _state(rng)[1] != _state(source)[1]:
        raise WireError("the generator came back as another one")
    _put(rng, _state(source))
