// The strip over the table: how many exchanges were in flight at each moment, by phase, and the span that is looked at.

const overviewHeight = 64;

class Overview {
  constructor(place) {
    this.place = place;
    this.canvas = element('canvas', { 'aria-hidden': 'true' });
    this.lifted = element('button', { type: 'button', class: 'span-chip', hidden: true });
    this.lifted.addEventListener('click', () => state.resetSpan());
    place.append(this.canvas, this.lifted);
    place.setAttribute('aria-valuemin', '0');
    /** The load, drawn when it changes: while the span moves it is copied. */
    this.picture = element('canvas');
    this.isStale = true;
    /** When it may be drawn again: in large captures that takes long, and on the live page it changes all the time. */
    this.drawnAgain = 0;
    const draw = oncePerFrame(() => this.draw());
    this.drawLater = () => {
      this.timer ??= setTimeout(() => {
        this.timer = undefined;
        draw();
      }, this.drawnAgain - performance.now());
    };
    const drawAnew = () => {
      this.isStale = true;
      draw();
    };
    state.on('span selection', draw);
    const drawNow = () => {
      this.drawnAgain = 0;
      drawAnew();
    };
    state.on('matching', drawAnew);
    state.on('theme', drawNow);
    new ResizeObserver(drawNow).observe(place);
    place.addEventListener('pointerdown', (event) => this.brush(event));
    place.addEventListener('dblclick', () => state.resetSpan());
    place.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault();
        state.zoom(Math.exp(event.deltaY * 0.003), this.timeAt(event.clientX));
      },
      { passive: false },
    );
    place.addEventListener('pointermove', (event) => {
      place.style.cursor = { move: 'grab', from: 'ew-resize', to: 'ew-resize', new: 'crosshair' }[this.gripAt(event.clientX)];
    });
  }

  get width() {
    return this.place.clientWidth;
  }

  placeOf(time) {
    const { from, to } = state.wholeSpan;
    return ((time - from) / (to - from)) * this.width;
  }

  timeAt(clientX) {
    const { from, to } = state.wholeSpan;
    return from + ((clientX - this.place.getBoundingClientRect().left) / this.width) * (to - from);
  }

  /** What a drag from there takes hold of. */
  gripAt(clientX) {
    if (!state.isZoomed) return 'new';
    const place = clientX - this.place.getBoundingClientRect().left;
    const [left, right] = [this.placeOf(state.span.from), this.placeOf(state.span.to)];
    if (Math.abs(place - left) < 6) return 'from';
    if (Math.abs(place - right) < 6) return 'to';
    return place > left && place < right ? 'move' : 'new';
  }

  brush(event) {
    if (event.button !== 0 || event.target === this.lifted) return;
    const grip = this.gripAt(event.clientX);
    const origin = this.timeAt(event.clientX);
    const { from, to } = state.span;
    const move = (moved) => {
      const time = this.timeAt(moved.clientX);
      if (Math.abs(moved.clientX - event.clientX) < 3) return;
      switch (grip) {
        case 'new':
          return state.setSpan(Math.min(origin, time), Math.max(origin, time), true);
        case 'move':
          return state.setSpan(from + time - origin, to + time - origin);
        case 'from':
          return state.setSpan(Math.min(time, to), to, true);
        default:
          return state.setSpan(from, Math.max(time, from), true);
      }
    };
    this.place.setPointerCapture(event.pointerId);
    this.place.addEventListener('pointermove', move);
    this.place.addEventListener('pointerup', () => this.place.removeEventListener('pointermove', move), { once: true });
  }

  draw() {
    if (!this.width) return;
    const now = performance.now();
    if (this.isStale && now < this.drawnAgain) {
      this.drawLater();
    } else if (this.isStale) {
      const context = fittedContext(this.picture, this.width, overviewHeight);
      this.drawLoad(context);
      this.drawPages(context);
      this.drawFailures(context);
      this.isStale = false;
      this.drawnAgain = now + 12 * (performance.now() - now);
    }
    const context = fittedContext(this.canvas, this.width, overviewHeight);
    context.drawImage(this.picture, 0, 0, this.width, overviewHeight);
    this.drawSpan(context);
    const { from, to } = state.span;
    this.lifted.hidden = !state.isZoomed;
    this.lifted.textContent = `${durationText(Math.max(0, from))} – ${durationText(to)}  ✕`;
    this.lifted.title = 'Show all of the capture (0)';
    this.place.setAttribute('aria-valuemax', capture.duration.toFixed(3));
    this.place.setAttribute('aria-valuenow', ((from + to) / 2).toFixed(3));
    this.place.setAttribute('aria-valuetext', `${durationText(Math.max(0, from))} to ${durationText(to)}`);
  }

  /** Exchanges in flight in each pixel, with the phases stacked. */
  drawLoad(context) {
    const width = Math.ceil(this.width);
    const loads = phaseLoads(state.matching, width, state.wholeSpan);
    const highest = loads.at(-1).reduce((high, load) => Math.max(high, load), 0);
    if (highest <= 0) return;
    const bottom = overviewHeight - 1;
    const scale = (overviewHeight - 20) / Math.sqrt(highest);
    // From the whole height down: each phase covers what does not belong to it.
    for (let phase = phaseNames.length - 1; phase >= 0; phase -= 1) {
      context.fillStyle = themeColors.of(`phase-${phaseNames[phase]}`);
      context.beginPath();
      context.moveTo(0, bottom);
      for (let place = 0; place < width; place += 1) {
        const whole = loads.at(-1)[place];
        // The height is the root of the load, so that single exchanges are seen beside many; the shares of it are true.
        const height = whole > 0 ? (loads[phase][place] / whole) * Math.max(Math.sqrt(whole) * scale, 1.5) : 0;
        context.lineTo(place, bottom - height);
        context.lineTo(place + 1, bottom - height);
      }
      context.lineTo(width, bottom);
      context.fill();
    }
  }

  drawPages(context) {
    if (capture.pages.size < 2) return;
    context.font = '10.5px system-ui, sans-serif';
    context.textBaseline = 'top';
    let free = -Infinity;
    for (const { offset, title } of capture.pages.values()) {
      const place = Math.max(0, Math.round(this.placeOf(offset)));
      context.fillStyle = themeColors.of('line');
      context.fillRect(place, 0, 1, overviewHeight);
      const text = visibleText(title).slice(0, 40);
      if (place < free) continue;
      context.fillStyle = themeColors.of('quiet');
      context.fillText(text, place + 4, 3);
      free = place + context.measureText(text).width + 12;
    }
  }

  drawFailures(context) {
    context.fillStyle = themeColors.of('bad');
    let last;
    for (const exchange of state.matching) {
      if (!exchange.isFailed && exchange.status < 500) continue;
      const place = Math.round(this.placeOf(exchange.end)) - 1;
      if (place !== last) context.fillRect(place, 15, 2, 5);
      last = place;
    }
  }

  drawSpan(context) {
    const selected = state.selectedExchange;
    if (selected) {
      context.fillStyle = themeColors.of('accent');
      const left = this.placeOf(selected.offset);
      context.fillRect(left, overviewHeight - 3, Math.max(this.placeOf(selected.end) - left, 3), 3);
    }
    if (!state.isZoomed) return;
    const [left, right] = [this.placeOf(state.span.from), this.placeOf(state.span.to)];
    context.fillStyle = themeColors.of('shade');
    context.fillRect(0, 0, left, overviewHeight);
    context.fillRect(right, 0, this.width - right, overviewHeight);
    context.fillStyle = themeColors.of('accent');
    for (const edge of [left, right]) {
      context.fillRect(edge - 1, 0, 2, overviewHeight);
      context.beginPath();
      context.roundRect(edge - 3, overviewHeight / 2 - 9, 6, 18, 3);
      context.fill();
    }
  }
}

/** For each phase, in how many exchanges of each pixel it or a phase before it was going on: exact shares of the pixel's time. */
function phaseLoads(exchanges, width, { from, to }) {
  const scale = width / (to - from);
  const loads = phaseNames.map(() => new Float64Array(width + 1));
  // Whole pixels as differences of neighbours, so that a long exchange costs no more than a short one.
  const steps = phaseNames.map(() => new Float64Array(width + 2));
  const add = (phase, start, end) => {
    const [left, right] = [Math.max(0, start), Math.min(width - 1e-9, end)];
    if (right <= left) return;
    const [first, last] = [Math.floor(left), Math.floor(right)];
    if (first === last) {
      loads[phase][first] += right - left;
      return;
    }
    loads[phase][first] += first + 1 - left;
    loads[phase][last] += right - last;
    steps[phase][first + 1] += 1;
    steps[phase][last] -= 1;
  };
  const visit = (phase, start, end) => add(phase, (start - from) * scale, (end - from) * scale);
  for (const exchange of exchanges) exchange.eachPhase(visit);
  for (let phase = 0; phase < phaseNames.length; phase += 1) {
    let going = 0;
    for (let place = 0; place < width; place += 1) {
      going += steps[phase][place];
      loads[phase][place] += going + (phase > 0 ? loads[phase - 1][place] : 0);
    }
  }
  return loads;
}
