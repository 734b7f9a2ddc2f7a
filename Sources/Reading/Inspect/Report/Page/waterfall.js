// The bars of the waterfall: one canvas in each row, which moves with it, all to the scale of `state.span`.

/** Pixels of an instant in a waterfall of that width. */
function placeOf(time, width) {
  const { from, to } = state.span;
  return ((time - from) / (to - from)) * width;
}

function timeAt(place, width) {
  const { from, to } = state.span;
  return from + (place / width) * (to - from);
}

function drawBar(canvas, exchange, width, height) {
  const context = fittedContext(canvas, width, height);
  drawTicks(context, width, height);
  const start = placeOf(exchange.offset, width);
  const end = placeOf(exchange.end, width);
  if (end < 0 || start > width) {
    drawPointer(context, end < 0, width, height);
    return;
  }
  const middle = Math.round(height / 2);
  const [barTop, barHeight] = [middle - 5, 10];
  context.save();
  context.beginPath();
  context.roundRect(Math.max(start, -10), barTop, Math.max(Math.min(end, width + 10) - Math.max(start, -10), 2), barHeight, 2);
  context.clip();
  if (!exchange.segments.length || end - start < 2) {
    context.fillStyle = themeColors.of(`phase-${exchange.longestPhase || 'wait'}`);
    context.fillRect(start, barTop, Math.max(end - start, 2), barHeight);
  }
  for (const { phase, from, to } of exchange.segments) {
    const [left, right] = [Math.max(placeOf(from, width), -10), Math.min(placeOf(to, width), width + 10)];
    context.fillStyle = themeColors.of(`phase-${phase}`);
    // Waiting in line is drawn thin: nothing was done for the exchange.
    if (phase === 'blocked' || phasesApart.includes(phase)) context.fillRect(left, middle - 1.5, right - left, 3);
    else context.fillRect(left, barTop, Math.max(right - left, 0.5), barHeight);
  }
  drawChunkMarks(context, exchange, width, barTop, barHeight);
  context.restore();
  const mark = Math.min(Math.max(end, start + 2), width - 12);
  if (exchange.isFailed) drawFailure(context, mark, middle);
  drawTotal(context, exchange, exchange.isFailed ? Math.min(start, mark) : start, Math.max(end, start + 2), width, middle);
}

/** Faint lines where the axis has its marks. */
function drawTicks(context, width, height) {
  context.fillStyle = themeColors.of('grid');
  for (const time of axisTimes(width)) context.fillRect(Math.round(placeOf(time, width)), 0, 1, height);
}

function drawChunkMarks(context, exchange, width, top, height) {
  context.fillStyle = themeColors.of('chunk');
  let last = -Infinity;
  for (const time of exchange.chunks) {
    const place = Math.round(placeOf(exchange.offset + time / 1000, width));
    if (place - last < 3) continue;
    context.fillRect(place, top + 2, 1, height - 4);
    last = place;
  }
}

function drawFailure(context, place, middle) {
  context.strokeStyle = themeColors.of('bad');
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(place + 2, middle - 4);
  context.lineTo(place + 10, middle + 4);
  context.moveTo(place + 10, middle - 4);
  context.lineTo(place + 2, middle + 4);
  context.stroke();
}

/** How long it took, beside the bar where there is room. */
function drawTotal(context, exchange, start, end, width, middle) {
  const text = durationText(exchange.total);
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'middle';
  context.fillStyle = themeColors.of('quiet');
  const room = context.measureText(text).width + 8;
  const gap = exchange.isFailed ? 16 : 6;
  if (end + gap + room < width) context.fillText(text, end + gap, middle + 0.5);
  else if (start - room > 0) context.fillText(text, start - room, middle + 0.5);
}

/** An exchange beyond the edge: where to look for it. */
function drawPointer(context, isLeft, width, height) {
  context.fillStyle = themeColors.of('quiet');
  const [tip, base] = isLeft ? [3, 8] : [width - 3, width - 8];
  const middle = height / 2;
  context.beginPath();
  context.moveTo(tip, middle);
  context.lineTo(base, middle - 4);
  context.lineTo(base, middle + 4);
  context.fill();
}

/** Round instants, about a hundred pixels from each other. */
function axisTimes(width) {
  const { from, to } = state.span;
  const about = ((to - from) * 110) / Math.max(width, 1);
  const power = 10 ** Math.floor(Math.log10(about));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= about);
  const times = [];
  for (let time = Math.ceil(from / step) * step; time <= to; time += step) times.push(Math.abs(time) < step / 2 ? 0 : time);
  return times;
}

/** @param latest of the times beside it, which have the same unit */
function axisText(time, step, latest) {
  if (time === 0) return '0';
  const [scale, unit] = latest >= 1000 ? [1000, 's'] : [1, 'ms'];
  const decimals = Math.max(0, -Math.floor(Math.log10(step / scale) + 1e-9));
  return `${(time / scale).toFixed(Math.min(decimals, 6))} ${unit}`;
}

function drawAxis(canvas, width, height) {
  const context = fittedContext(canvas, width, height);
  const times = axisTimes(width);
  const step = times.length > 1 ? times[1] - times[0] : 1;
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'middle';
  for (const time of times) {
    const place = Math.round(placeOf(time, width));
    context.fillStyle = themeColors.of('grid');
    context.fillRect(place, 0, 1, height);
    context.fillStyle = themeColors.of('quiet');
    const text = axisText(time, step, times.at(-1));
    if (place + 4 + context.measureText(text).width < width) context.fillText(text, place + 4, height / 2);
  }
}

/** A page's heading: when it began and how far its exchanges reach. */
function drawPageBar(canvas, { page, members }, width, height) {
  const context = fittedContext(canvas, width, height);
  drawTicks(context, width, height);
  const from = members.reduce((first, { offset }) => Math.min(first, offset), Infinity);
  const to = members.reduce((latest, { end }) => Math.max(latest, end), 0);
  const middle = Math.round(height / 2);
  context.fillStyle = themeColors.of('quiet');
  const [left, right] = [placeOf(Math.min(from, page.id === null ? from : page.offset), width), placeOf(to, width)];
  context.fillRect(left, middle, Math.max(right - left, 2), 2);
  context.fillRect(left, middle - 4, 2, 10);
  context.fillRect(right - 2, middle - 4, 2, 10);
  for (const [milliseconds, color] of [
    [page.onContentLoad, 'phase-receive'],
    [page.onLoad, 'bad'],
  ]) {
    if (milliseconds === undefined) continue;
    context.fillStyle = themeColors.of(color);
    context.fillRect(placeOf(page.offset + milliseconds, width), 3, 2, height - 6);
  }
}

/** Wheel and drag over the waterfall; `widthOf` says how wide it is at the moment. */
function followPointer(target, placeIn, widthOf) {
  target.addEventListener(
    'wheel',
    (event) => {
      const place = placeIn(event);
      if (place === null) return;
      if (event.ctrlKey || event.metaKey || event.altKey) {
        event.preventDefault();
        state.zoom(Math.exp(event.deltaY * 0.003), timeAt(place, widthOf()));
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        state.pan((event.deltaX || event.deltaY) / widthOf());
      }
    },
    { passive: false },
  );
}

/** Dragging from the waterfall moves the span. Calls `onClick` when nothing was dragged. */
function dragToPan(target, placeIn, widthOf) {
  target.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || placeIn(event) === null || !state.isZoomed) return;
    const { from, to } = state.span;
    const origin = event.clientX;
    let isDragged = false;
    const move = (moved) => {
      const distance = moved.clientX - origin;
      if (!isDragged && Math.abs(distance) < 4) return;
      isDragged = true;
      const shift = (-distance / widthOf()) * (to - from);
      state.setSpan(from + shift, to + shift);
    };
    const end = () => {
      removeEventListener('pointermove', move);
      // A drag ends with a click, which must not count as one.
      if (isDragged) addEventListener('click', (click) => click.stopPropagation(), { capture: true, once: true });
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', end, { once: true });
  });
}
