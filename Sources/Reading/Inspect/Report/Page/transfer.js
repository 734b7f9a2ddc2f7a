// What held up a transfer, by the kernel's figures of both connections.

const limitWords = {
  receiver: ['the other end read slowly', 'tapeline did not read'],
  sender: ["tapeline's send buffer", "tapeline's send buffer"],
  congestion: ['congestion on the way', 'congestion on the way: segments came out of order'],
  application: ['there was nothing to send', 'the other end sent no faster'],
};

/** In words, with its share of the time; nothing if the log does not say. */
function transferLimitText(leg) {
  if (typeof leg?.limitedBy !== 'string' || !isObject(leg.limits)) return undefined;
  const words = limitWords[leg.limitedBy]?.[leg.direction === 'sending' ? 0 : 1] ?? leg.limitedBy;
  const times = Object.values(leg.limits).filter((time) => typeof time === 'number');
  const total = times.reduce((left, right) => left + right, 0);
  const time = leg.limits[leg.limitedBy];
  return typeof time === 'number' ? `${words} (${exactDurationText(time)} of ${exactDurationText(total)})` : words;
}
