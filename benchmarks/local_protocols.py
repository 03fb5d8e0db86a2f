"""Local protocols: a million people, each of whom randomizes an answer out of 91 (ages 0 to 90)."""

import numpy as np
from measure import Comparison, Contender
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_MI, GRR_Client
from multi_freq_ldpy.pure_frequency_oracles.HE import HE_Aggregator_MI, HE_Client
from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI, UE_Client
from pure_ldp.frequency_oracles.direct_encoding import DEClient, DEServer
from pure_ldp.frequency_oracles.histogram_encoding import HEClient, HEServer
from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer

import dp_helpers as dp

N, D, EPSILON = 1_000_000, 91, 1.0
SHARE = 0.02  # of the people, for peers that go from person to person
AGES = range(D)
RNG = np.random.default_rng(1)
VALUES = RNG.integers(0, D, N)
FEW = VALUES[: int(SHARE * N)]


def comparisons():
    """Return the comparisons of faithful protocols, then those of shortcuts from counts."""
    unary, histogram = dp.UnaryEncoding, dp.HistogramEncoding
    yield _faithful("OUE", unary.optimized(AGES, EPSILON), _unary_peers(optimal=True), "byte", 30, 250, 500, 2.5)
    yield _faithful("SUE", unary.symmetric(AGES, EPSILON), _unary_peers(optimal=False), "byte", 30, 250, 500, 2.5)
    the = dp.ThresholdHistogramEncoding(AGES, epsilon=EPSILON)
    yield _faithful("THE", the, _histogram_peers(threshold=True), "byte", 30, 250, 500, 2.5)
    she = histogram(AGES, epsilon=EPSILON)
    yield _faithful("SHE", she, _histogram_peers(threshold=False), "double", 4, 4, None, 4)
    yield _faithful("direct encoding", dp.DirectEncoding(AGES, epsilon=EPSILON), _direct_peers(), None, 50, 70)
    yield from _from_counts()


def _faithful(name, protocol, peers, floor, multi, pure, loop=None, floors=None):
    targets = {"multi-freq-ldpy": multi, "pure-ldp": pure}
    return Comparison(
        f"{name}, n = 1,000,000, d = {D}",
        lambda: protocol.estimate(VALUES, RNG),
        [Contender(peer, call, SHARE) for peer, call in peers.items()],
        {"byte": Contender("one raw random byte a cell", lambda: _raw_bytes(N * D)),
         "double": Contender("8 raw random bytes a cell", lambda: _raw_bytes(8 * N * D)),
         None: None}[floor],
        targets | ({"loop over people and bits": loop} if loop else {}),
        floors,
        megabytes=16 if floor == "byte" else None,
    )  # fmt: skip


def _from_counts():
    domain, n = range(1024), 10_000_000
    counts = RNG.multinomial(n, np.full(1024, 1 / 1024))
    protocols = {
        "OUE": dp.UnaryEncoding.optimized(domain, EPSILON),
        "THE": dp.ThresholdHistogramEncoding(domain, epsilon=EPSILON),
        "SHE": dp.HistogramEncoding(domain, epsilon=EPSILON),
        "direct encoding": dp.DirectEncoding(domain, epsilon=EPSILON),
        "OLH": dp.LocalHashing(domain, epsilon=EPSILON),
    }
    for name, protocol in protocols.items():
        simulate = protocol.simulate
        yield Comparison(
            f"{name} from counts, n = 10,000,000, d = 1,024",
            lambda simulate=simulate: simulate(counts, n, RNG),
            seconds=0.001,
        )
    coins = dp.RandomizedResponse.two_coins()
    yield Comparison(
        "randomized response from counts, n = 10,000,000",
        lambda: coins.simulate([6_000_000, 4_000_000], n, RNG),
        seconds=0.001,
    )


def _raw_bytes(cells, block=2**16):
    for _ in range(cells // 8 // block):
        RNG.bit_generator.random_raw(block)


def _unary_peers(*, optimal):
    client, server = UEClient(EPSILON, D, use_oue=optimal), UEServer(EPSILON, D, use_oue=optimal)
    p, q = (0.5, 1 / (1 + np.exp(EPSILON))) if optimal else (0.62, 0.38)

    def loop():
        counts = [0] * D
        for value in FEW:
            for answer in range(D):
                counts[answer] += RNG.random() < (p if answer == value else q)
        return [(count - len(FEW) * q) / (p - q) for count in counts]

    return {
        "multi-freq-ldpy": lambda: UE_Aggregator_MI([UE_Client(v, D, EPSILON, optimal) for v in FEW], EPSILON, optimal),
        "pure-ldp": lambda: _pure(client, server),
        "loop over people and bits": loop,
    }


def _histogram_peers(*, threshold):
    client = HEClient(EPSILON, D)
    server = HEServer(EPSILON, D, use_the=threshold)

    def loop():
        counts = [0.0] * D
        for value in FEW:
            for answer in range(D):
                noise = RNG.laplace(0, 2 / EPSILON)
                counts[answer] += (answer == value) + noise > 0.6 if threshold else (answer == value) + noise
        return counts

    return {
        "multi-freq-ldpy": lambda: HE_Aggregator_MI([HE_Client(v, D, EPSILON) for v in FEW], D, EPSILON, threshold),
        "pure-ldp": lambda: _pure(client, server),
        "loop over people and bits": loop,
    }


def _direct_peers():
    client, server = DEClient(EPSILON, D), DEServer(EPSILON, D)
    return {
        "multi-freq-ldpy": lambda: GRR_Aggregator_MI([GRR_Client(v, D, EPSILON) for v in FEW], D, EPSILON),
        "pure-ldp": lambda: _pure(client, server),
    }


def _pure(client, server):
    for value in FEW:
        server.aggregate(client.privatise(int(value)))
    return server.estimate_all(range(1, D), suppress_warnings=True)
