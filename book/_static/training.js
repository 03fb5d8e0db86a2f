/* What a training by DP-SGD costs: many steps, each with Poisson samples and normal noise (add/remove-one).  The privacy
   loss on a grid, convolved by the Fourier transform, as dp.PrivacyLoss does it (dp_helpers/privacy_loss.py), whose notes
   say why it is a bound: never below the truth.  A coarser grid makes it fast, within 3% of the package's; tests hold the
   two together. */
window.training = (function () {
  "use strict";
  const [LEAST_CELLS, MOST_CELLS, ACCURACY, OUTSIDE, PRECISION] = [2 ** 13, 2 ** 16, 0.003, 25, 2.3e-16];
  const RANGE = { q: [1e-4, 0.5], steps: [1, 1e5], sigma: [0.5, 20], delta: [1e-9, 1e-4] };
  const TILTS = [...spaced(0.01, 10, 10).reverse().map((tilt) => -tilt), 0, ...spaced(1e-3, 100, 61)];
  const NO_TILT = 10;

  function spaced(low, high, count) {
    return Array.from({ length: count }, (_, i) => low * (high / low) ** (i / (count - 1)));
  }
  const clipped = (value) => Math.exp(Math.min(Math.max(value, -700), 700));

  // ---- One step.  Output x: P is (1 - q) N(0, sigma^2) + q N(1, sigma^2), Q is N(0, sigma^2); or the two exchanged.
  function step({ q, sigma }, removes) {
    // The loss ln(1 - q + q e^((2x - 1) / (2 sigma^2))) rises with x / sigma: where it is `loss`.
    const place = (loss) => {
      const above = Math.max(loss - Math.log1p(-q), 0);
      const odds = above + Math.log(-Math.expm1(-above)) + Math.log1p(-q) - Math.log(q);
      return sigma * odds + 1 / (2 * sigma);
    };
    function reach(rare) {
      const others = sigma * Math.sqrt(-2 * Math.log(rare));
      const sampled = 1 + sigma * Math.sqrt(2 * Math.max(Math.log(q) - Math.log(rare), 0));
      const highest = (2 * Math.max(others, sampled) - 1) / (2 * sigma ** 2);
      const loss = Math.max(Math.log1p(-q) + Math.log1p((q / (1 - q)) * clipped(highest)), highest + Math.log(q));
      return removes ? [Math.log1p(-q), loss] : [-loss, -Math.log1p(-q)];
    }
    // The chance of each edge, and of infinity, with a loss that dominates: a cell's mass goes to its two ends.
    function spread(edges) {
      const masses = new Float64Array(edges.length);
      const [zero, one] = [ends(edges, 0), ends(edges, 1 / sigma)];
      const [first, last] = removes ? [(law) => law.below[0], (law) => law.above.at(-1)] : [(law) => law.above[0], (law) => law.below.at(-1)];
      const p = removes ? (of) => (1 - q) * of(zero) + q * of(one) : (of) => of(zero);
      const other = removes ? (of) => of(zero) : (of) => (1 - q) * of(zero) + q * of(one);
      masses[0] = p(first);
      for (let i = 1; i < edges.length; i++) {
        const cell = ({ below, above, beyond }) => Math.abs(beyond[i - 1] && beyond[i] ? above[i - 1] - above[i] : below[i] - below[i - 1]);
        const mass = p(cell);
        const excess = mass - Math.exp(edges[i - 1]) * other(cell);
        const raised = Math.min(Math.max(excess / -Math.expm1(edges[i - 1] - edges[i]), 0), mass);
        masses[i - 1] += mass - raised;
        masses[i] += raised;
      }
      return { masses, infinite: p(last) };
    }
    // What of a normal law about `mean` (in sigmas) lies below and above the place of each edge.
    function ends(edges, mean) {
      const [below, above, beyond] = [new Float64Array(edges.length), new Float64Array(edges.length), new Uint8Array(edges.length)];
      for (let i = 0; i < edges.length; i++) {
        const z = place(removes ? edges[i] : -edges[i]) - mean;
        const tail = normal.tail(Math.abs(z));
        [below[i], above[i], beyond[i]] = z > 0 ? [1 - tail, tail, 1] : [tail, 1 - tail, 0];
      }
      return { below, above, beyond };
    }
    return { reach, spread };
  }

  // ln of the mean of e^(tilt loss), with the mean and the variance of the loss under that weight.
  function moment(edges, masses, tilt) {
    let peak = -Infinity;
    for (let i = 0; i < edges.length; i++) if (masses[i] > 0) peak = Math.max(peak, tilt * edges[i] + Math.log(masses[i]));
    let [total, first, second] = [0, 0, 0];
    for (let i = 0; i < edges.length; i++) {
      const weight = masses[i] > 0 ? masses[i] * Math.exp(tilt * edges[i] - peak) : 0;
      total += weight;
      first += weight * edges[i];
      second += weight * edges[i] ** 2;
    }
    const mean = first / total;
    return { log: peak + Math.log(total), mean, variance: Math.max(second / total - mean ** 2, 0) };
  }

  // Where to look, from a coarse grid: the tilt, one more that bounds what lies above the window, the window, the step.
  // What is found here decides how close the bound is, not whether it holds.
  function planned(one, steps, delta, tilted) {
    const rare = Math.exp(Math.log(delta) - Math.log(steps) - 20);
    const [bottom, top] = one.reach(rare);
    const far = Math.max(-bottom, top);
    const distances = spaced(1e-8 * far, far, 500);
    const edges = [...distances.map((distance) => -distance).reverse(), 0, ...distances];
    const { masses } = one.spread(edges);
    const deviation = Math.sqrt(steps * edges.reduce((sum, edge, i) => sum + masses[i] * edge ** 2, 0));
    const looks = TILTS.map((unit) => {
      const tilt = unit / deviation;
      const { log, mean, variance } = moment(edges, masses, tilt);
      const fall = Math.log(Math.max(2.5 * Math.sqrt(steps * variance) * tilt * (1 + tilt), 1));
      return { tilt, log: steps * log, mean: steps * mean, epsilon: tilt > 0 ? (steps * log - fall - Math.log(delta)) / tilt : Infinity };
    });
    const best = looks.slice(0, -5).reduce((least, look) => (tilted && look.epsilon < least.epsilon ? look : least), looks[NO_TILT]);
    const ends = looks.filter((look) => look !== best).map((look) => {
      const end = (look.log - best.log + OUTSIDE) / (look.tilt - best.tilt);
      return { tilt: look.tilt, end };
    });
    const low = ends.filter(({ tilt }) => tilt < best.tilt).reduce((a, b) => (b.end > a.end ? b : a));
    const high = ends.filter(({ tilt }) => tilt > best.tilt).reduce((a, b) => (b.end < a.end ? b : a));
    const cost = ACCURACY * Math.max(best.mean, deviation / 10);
    const fine = Math.min(Math.sqrt((12 * cost) / steps / (1 + best.tilt)), (high.end - low.end) / LEAST_CELLS);
    return { tilts: [best.tilt, high.tilt], low: low.end, high: high.end, reach: [bottom, top],
      grid: Math.max(fine, Math.max(high.end - low.end, top - bottom) / MOST_CELLS) };
  }

  // ---- The Fourier transform, in place; back is without the factor 1 / length.
  function transform(re, im, back) {
    const cells = re.length;
    for (let i = 1, j = 0; i < cells; i++) {
      let bit = cells >> 1;
      for (; j & bit; bit >>= 1) j ^= bit;
      j ^= bit;
      if (i < j) [re[i], re[j], im[i], im[j]] = [re[j], re[i], im[j], im[i]];
    }
    const angles = Array.from({ length: cells / 2 }, (_, k) => (2 * Math.PI * k) / cells);
    const [cosines, sines] = [Float64Array.from(angles, Math.cos), Float64Array.from(angles, (a) => (back ? 1 : -1) * Math.sin(a))];
    for (let size = 2; size <= cells; size *= 2)
      for (let start = 0; start < cells; start += size)
        for (let k = 0; k < size / 2; k++) {
          const [a, b, w] = [start + k, start + k + size / 2, (k * cells) / size];
          const [x, y] = [re[b] * cosines[w] - im[b] * sines[w], re[b] * sines[w] + im[b] * cosines[w]];
          [re[b], im[b]] = [re[a] - x, im[a] - y];
          [re[a], im[a]] = [re[a] + x, im[a] + y];
        }
  }

  // The law of the sum of `steps` numbers that have `weights` at `first`, `first` + 1, ..., on the whole numbers modulo
  // `cells`; and what rounding may have done.  The largest weight is moved to 0 and 1 taken off there: so the transform
  // is as small as the rest, and so is its rounding, where most of the mass lies in one place.
  function summed(weights, first, steps, cells) {
    const modulo = (k) => ((k % cells) + cells) % cells;
    const [re, im] = [new Float64Array(cells), new Float64Array(cells)];
    const most = weights.reduce((best, weight, i) => (weight > weights[best] ? i : best), 0);
    let rest = 0;
    weights.forEach((weight, i) => {
      if (modulo(i - most) === 0) return;
      re[modulo(i - most)] += weight;
      rest += weight;
    });
    re[0] = -rest;
    transform(re, im, false);
    let [forth, kept] = [0, 0];
    for (let k = 0; k < cells; k++) {
      const [x, y] = [re[k], im[k]];
      const square = x * x + y * y;
      const distance = Math.max(Math.hypot(1 + x, y), PRECISION);
      const size = steps * (square < 0.25 ? Math.log1p(2 * x + square) / 2 : Math.log(distance));
      const error = (steps * PRECISION * (2 * Math.log2(cells) * rest + 20 * Math.sqrt(square))) / distance;
      const angle = steps * Math.atan2(y, 1 + x);
      const length = Math.exp(size);
      [re[k], im[k]] = [length * Math.cos(angle), length * Math.sin(angle)];
      forth += (length * (error + PRECISION * (4 - size))) ** 2;
    }
    transform(re, im, true);
    for (let k = 0; k < cells; k++) {
      re[k] /= cells;
      kept += re[k] ** 2;
    }
    const rounding = Math.sqrt(2 * forth) + PRECISION * Math.log2(cells) * Math.sqrt(cells * kept);
    return { at: (k) => re[modulo(k - steps * (first + most))], rounding };
  }

  // ---- A bound on epsilon for one order of the two neighbours.  Both with and without a tilt it is one: the smaller
  // counts.  Undefined where it isn't in the window.
  function oneOrder(one, steps, delta) {
    const found = [true, false].map((tilted) => bounded(one, steps, delta, planned(one, steps, delta, tilted))).filter((value) => value !== undefined);
    return found.length ? Math.max(Math.min(...found), 0) : Infinity;
  }

  function bounded(one, steps, delta, { tilts, low, high, grid, reach }) {
    const [tilt] = tilts;
    const cells = 2 ** Math.ceil(Math.log2((high - low) / grid + 2));
    const first = Math.floor(reach[0] / grid) - 1;
    const edges = Array.from({ length: Math.ceil(reach[1] / grid) + 2 - first }, (_, i) => (first + i) * grid);
    const { masses, infinite } = one.spread(edges);
    const logs = tilts.map((each) => moment(edges, masses, each).log);
    const weights = masses.map((mass, i) => (mass > 0 ? Math.exp(tilt * edges[i] + Math.log(mass) - logs[0]) : 0));
    const sum = summed(weights, first, steps, cells);

    const from = Math.floor(low / grid);
    const [bottom, top] = [from * grid, (from + cells - 1) * grid];
    const untilted = (loss) => clipped(steps * logs[0] - tilt * loss);
    const missing = untilted(top) * Math.exp(Math.min(steps * (logs[1] - logs[0]) - (tilts[1] - tilt) * top, 0));
    const never = -Math.expm1(steps * Math.log1p(-infinite));
    // From the top down: the chance of a larger loss, less what an epsilon here forgives of it.
    let [chance, forgiven, above] = [0, 0, 1];
    for (let i = cells - 1; i >= 0; i--) {
      const loss = (from + i) * grid;
      const mass = sum.at(from + i) * untilted(loss);
      chance += mass;
      forgiven = mass + Math.exp(-grid) * forgiven;
      const bound = never + Math.min(chance - forgiven + missing + untilted(loss) * sum.rounding, untilted(loss));
      if (bound > delta) return i === cells - 1 ? undefined : loss + Math.log1p(((bound - delta) / (bound - above)) * Math.expm1(grid));
      above = bound;
    }
    return bottom <= 0 ? 0 : undefined;
  }

  // An epsilon of all steps together at delta, the larger of both orders; the other one's largest loss is finite.
  function epsilon({ q, sigma, steps, delta }) {
    const [removed, added] = [true, false].map((removes) => oneOrder(step({ q, sigma }, removes), steps, delta));
    return Math.max(removed, Math.min(added, -steps * Math.log1p(-q))) * (1 + 1e-10);
  }

  // A noise of five digits with which all steps cost `wanted` at most, and hardly less; undefined beyond the range.  The
  // logarithms are nearly on a line, so the bracket is cut where a line would hit (an end that stays twice counts half).
  function sigma({ q, steps, delta, epsilon: wanted }) {
    const over = (at) => Math.log(Math.max(epsilon({ q, steps, delta, sigma: at }), 1e-9) / wanted);
    let [low, high] = RANGE.sigma;
    let [above, below] = [over(low), over(high)];
    if (below > 0) return undefined;
    if (above <= 0) return low;
    for (let [stayed, found] = [0, below]; high / low > 1.00005 && !(found <= 0 && found > -0.005); ) {
      const share = Math.min(Math.max(above / (above - below), 0.05), 0.95);
      const cut = low * (high / low) ** share;
      found = over(cut);
      if (found > 0) [low, above, below, stayed] = [cut, found, stayed > 0 ? below / 2 : below, 1];
      else [high, below, above, stayed] = [cut, found, stayed < 0 ? above / 2 : above, -1];
    }
    const unit = 10 ** (4 - Math.floor(Math.log10(high)));
    return Math.min(Math.ceil(high * unit) / unit, RANGE.sigma[1]);
  }

  return { epsilon, sigma, RANGE };
})();
