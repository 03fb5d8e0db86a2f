/* Counts by group, planned from typed numbers as dp.plan_group_counts does (dp_helpers/planning.py): tests hold the two
   together.  A synthetic twin by formulas alone: nothing is drawn. */
window.planning = (function () {
  "use strict";
  const [STRATA, SINGLE, FLATTENED] = [200, 60, 2];
  const DEVIATIONS = 1.959963984540054; // 19 of 20 numbers of a normal law lie within
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const mean = (values) => sum(values) / values.length;

  // The values of 200 equal shares of people, from their middle, 1 in 10 and 1 in 100.
  function strata(three) {
    const [knots, logs] = [[1, 2, 10, 100].map(Math.log), [1, ...three].map(Math.log)];
    const slope = (logs[3] - logs[2]) / (knots[3] - knots[2]);
    return Array.from({ length: STRATA }, (_, i) => {
      const tail = -Math.log1p(-(i + 0.5) / STRATA);
      const k = Math.min(knots.findLastIndex((knot) => knot <= tail), 2);
      const inside = logs[k] + ((Math.min(tail, knots[3]) - knots[k]) / (knots[k + 1] - knots[k])) * (logs[k + 1] - logs[k]);
      return Math.max(1, Math.floor(Math.exp(inside + slope * Math.max(tail - knots[3], 0)) + 0.5));
    });
  }

  // A rank for each handful of groups, and how many groups are in it.
  function ranks(groups) {
    const ends = Array.from({ length: Math.min(groups, SINGLE) }, (_, i) => i + 1);
    while (ends.at(-1) < groups) ends.push(Math.min(groups, Math.ceil(ends.at(-1) * 1.06)));
    return ends.map((end, i) => ({ rank: ((ends[i - 1] ?? 0) + end + 1) / 2, times: end - (ends[i - 1] ?? 0) }));
  }

  // For each number of groups that people have: how many strata have it, and the chance to be in one group of a handful,
  // 1 - e^(-c popularity) with the c at which a person is in as many groups.
  function chances(numbers, popularity, times) {
    return numbers.map((count) => {
      let [low, high] = [-20, 40];
      for (let step = 0; step < 50; step++) {
        const middle = (low + high) / 2;
        const c = Math.exp(middle);
        const found = sum(popularity.map((p, j) => -Math.expm1(-c * p) * times[j]));
        if (found < count) low = middle;
        else high = middle;
      }
      return popularity.map((p) => -Math.expm1(-Math.exp(high) * p));
    });
  }

  // The twin: how many groups each stratum is in, and who counts in which groups.  The slow part: once for typed numbers.
  function twin({ groups, groupsOfAPerson, rowsInAGroup, largestShare }) {
    const counts = strata(groupsOfAPerson).map((count) => Math.min(count, groups));
    const handfuls = ranks(groups);
    const times = handfuls.map((one) => one.times);
    const numbers = [...new Set(counts)];
    const shares = numbers.map((number) => counts.filter((count) => count === number).length / STRATA);
    let [low, high, weights] = [0, 4, []];
    for (let step = 0; step < 30; step++) {
      const skew = (low + high) / 2;
      weights = chances(numbers, handfuls.map(({ rank }) => (rank + FLATTENED) ** -skew), times);
      if (sum(weights.map((row, i) => row[0] * shares[i])) < largestShare) low = skew;
      else high = skew;
    }
    const found = new Map();
    // The share of people who count in each handful of groups, where each counts in so many at most.
    const inGroups = (most) => {
      if (!found.has(most)) {
        const kept = numbers.map((number, i) => shares[i] * Math.min(1, most / number));
        found.set(most, times.map((_, j) => sum(kept.map((share, i) => share * weights[i][j]))));
      }
      return found.get(most);
    };
    return { counts, times, inGroups, rows: strata(rowsInAGroup) };
  }

  function plan({ counts, times, inGroups, rows }, { people, mostGroups, mostRows, epsilon, delta, noiseDelta }) {
    const [inAll, keptPeople] = [Infinity, mostGroups].map((most) => inGroups(most).map((share) => people * share));
    const keptRows = mostRows ? mean(rows.map((row) => Math.min(row, mostRows))) : 1;
    const shareOfRows = mostRows ? keptRows / mean(rows) : 1;
    const dropped = (some) => 1 - (sum(some.map((count) => Math.min(count, mostGroups))) / sum(some)) * shareOfRows;
    const half = delta ? epsilon / 2 : epsilon;
    const scale = noiseDelta ? Math.sqrt(mostGroups) * (mostRows || 1) * normal.sigma(half, noiseDelta) : (mostGroups * (mostRows || 1)) / half;
    const width = scale * (noiseDelta ? DEVIATIONS : Math.log(20));
    const threshold = delta ? 1 + (mostGroups / half) * (Math.log(mostGroups / 2) - Math.log(delta)) : null;
    const appears = keptPeople.map((kept) => {
      if (threshold === null) return 1;
      const beyond = (kept - threshold) / (mostGroups / half);
      return beyond < 0 ? Math.exp(beyond) / 2 : 1 - Math.exp(-beyond) / 2;
    });
    const kept = keptPeople.map((value) => value * keptRows);
    const known = kept.findLastIndex((value) => value >= 10 * width);
    return {
      people: inAll, groups: times, kept, appears, scale, width, threshold,
      published: sum(appears.map((chance, j) => chance * times[j])),
      dropped: dropped(counts), droppedOfHeavy: dropped(counts.slice(-STRATA / 10)),
      known: known < 0 ? null : Math.ceil(inAll[known]),
    };
  }

  // Few people, as dp.plan_count and dp.plan_mean plan them.
  const level = (noise, luck, from) => ({ noise, luck, width: Math.hypot(noise, luck), usefulFrom: Math.ceil(from - 1e-9) });
  function count({ people, share, epsilon }) {
    const variance = share * (1 - share);
    return level(Math.log(20) / epsilon, DEVIATIONS * Math.sqrt(people * variance), 2 / epsilon ** 2 / variance);
  }
  function meanOf({ people, lower, upper, mean, spread, epsilon }) {
    const deviation = (Math.SQRT2 * Math.hypot(upper - lower, 2 * mean - lower - upper)) / epsilon; // of the noise, times people
    const noise = ((deviation / Math.SQRT2) * Math.log(20)) / people;
    return level(noise, (DEVIATIONS * spread) / Math.sqrt(people), (deviation / spread) ** 2);
  }

  // How many publications of (epsilon, delta) stay within the whole epsilon, by the calculator's bound.
  function lasts(epsilon, delta, whole) {
    const within = (count) => judging.composed({ epsilon, delta }, 1, count).epsilon <= whole * (1 + 1e-12);
    let [low, high] = [0, 1];
    while (within(high) && high < 1e6) [low, high] = [high, 2 * high];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (within(middle)) low = middle;
      else high = middle;
    }
    return low;
  }

  return { twin, plan, count, meanOf, lasts };
})();
