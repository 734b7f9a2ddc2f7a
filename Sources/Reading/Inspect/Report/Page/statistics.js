// Figures of many exchanges, exact: all their times are here.

/** The smallest value that so many percent do not exceed. */
function percentile(sorted, percent) {
  return sorted.length ? sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)] : undefined;
}

/** The times of those that were answered: a refused connection is not a fast answer, and a WebSocket lasts as long as its client likes. */
function sortedTimes(exchanges, key) {
  const times = new Float64Array(exchanges.length);
  let count = 0;
  for (const exchange of exchanges) {
    if (exchange[key] >= 0 && exchange.isAnswered) {
      times[count] = exchange[key];
      count += 1;
    }
  }
  return times.subarray(0, count).sort();
}

function sumOf(exchanges, key) {
  return exchanges.reduce((sum, exchange) => sum + Math.max(0, exchange[key]), 0);
}

/** Groups by what `keyOf` returns, in the order of their first members. */
function groupsBy(exchanges, keyOf) {
  const groups = new Map();
  for (const exchange of exchanges) {
    const key = keyOf(exchange);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(exchange);
  }
  return groups;
}

/** Those in which most time was spent first. */
function groupsOf(exchanges, keyOf) {
  return [...groupsBy(exchanges, keyOf)]
    .map(([key, members]) => ({ key, members, time: sumOf(members, 'total') }))
    .sort((left, right) => right.time - left.time);
}

function countsOf(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((left, right) => right[1] - left[1]);
}
