/* Normal noise, for the planner: the law's upper tail, and the noise of dp.gaussian_sigma. */
window.normal = (function () {
  "use strict";

  // To a few roundings: a series of positive terms near 0, a continued fraction beyond.
  function tail(z) {
    const x = Math.abs(z) / Math.SQRT2;
    let beyond;
    if (x < 2) {
      let [term, total] = [x, x];
      for (let n = 1; term > 1e-17 * total; n++) total += term *= (2 * x * x) / (2 * n + 1);
      beyond = 0.5 - (total * Math.exp(-x * x)) / Math.sqrt(Math.PI);
    } else {
      let fraction = 0;
      for (let n = Math.ceil(200 / (x * x)) + 2; n > 0; n--) fraction = n / 2 / (x + fraction);
      beyond = Math.exp(-x * x) / (2 * Math.sqrt(Math.PI) * (x + fraction));
    }
    return z > 0 ? beyond : 1 - beyond;
  }

  // The least noise, in units of the sensitivity, at which Phi(1 / 2s - epsilon s) - e^epsilon Phi(-1 / 2s - epsilon s)
  // is delta at most.
  function sigma(epsilon, delta) {
    const spent = (s) => tail(epsilon * s - 0.5 / s) - Math.exp(epsilon + Math.log(tail(epsilon * s + 0.5 / s)));
    let [low, high] = [Math.log(1e-4), Math.log(1e8)];
    for (let step = 0; step < 80; step++) {
      const middle = (low + high) / 2;
      if (spent(Math.exp(middle)) > delta) low = middle;
      else high = middle;
    }
    return Math.exp(high);
  }

  return { tail, sigma };
})();
