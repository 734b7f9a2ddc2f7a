// The table of exchanges: only the rows that are seen exist.

const lineHeight = 26;
/** Of a row in two lines, and of its waterfall. */
const narrowHeight = 44;
const narrowBarHeight = 18;
/** Rows beyond each edge, so that a quick scroll finds them there. */
const rowMargin = 6;

/** Whether one wants to see the largest of a column first. */
function isDescendingFirst(key) {
  return Boolean(allColumns.find((column) => column.key === key).isFigure) && key !== 'number' && key !== 'start';
}

class ExchangeTable {
  constructor(place) {
    this.place = place;
    this.heading = element('div', { class: 'heading', role: 'row' });
    this.spacer = element('div', { class: 'spacer', role: 'rowgroup' });
    this.viewport = element('div', { class: 'viewport', role: 'presentation' }, this.spacer);
    this.empty = element('p', { class: 'empty', hidden: true });
    place.append(this.heading, this.viewport, this.empty);
    /** Rows by their place on the screen's wheel: item number modulo their count. */
    this.rows = [];
    this.waterfallWidth = 0;
    /** Whether the axis shows another span, width or theme than it should. */
    this.isAxisStale = true;
    this.update = oncePerFrame(() => this.draw());
    this.viewport.addEventListener('scroll', this.update, { passive: true });
    // Who scrolls looks for something else than what is selected.
    for (const move of ['wheel', 'touchmove', 'pointerdown']) {
      this.viewport.addEventListener(move, () => { this.isFollowed = false; }, { passive: true });
    }
    new ResizeObserver(() => this.refit()).observe(this.viewport);
    state.on('list', () => this.relist());
    state.on('span theme', () => this.redraw());
    state.on('selection', () => this.followSelection());
    state.on('columns', () => this.rebuild());
    this.viewport.addEventListener('click', (event) => this.click(event));
    this.viewport.addEventListener('dblclick', (event) => this.zoomTo(this.itemAt(event)));
    const placeIn = (event) => this.placeInWaterfall(event);
    followPointer(this.viewport, placeIn, () => this.waterfallWidth);
    dragToPan(this.viewport, placeIn, () => this.waterfallWidth);
    this.rebuild();
  }

  // MARK: Columns

  rebuild() {
    this.isNarrow = this.room < narrowRoom;
    this.place.classList.toggle('narrow', this.isNarrow);
    this.columns = shownColumns(this.room);
    this.keys = new Set(this.columns.map(({ key }) => key));
    this.setTracks();
    this.axis = element('canvas', { 'aria-hidden': 'true' });
    this.waterfallHeading = element(
      'div',
      { class: 'waterfall-heading', role: 'columnheader', 'aria-label': 'Waterfall' },
      this.axis,
    );
    this.heading.replaceChildren(...this.columns.map((column) => this.columnHeading(column)), this.waterfallHeading);
    this.place.setAttribute('aria-colcount', String(this.columns.length + 1));
    for (const row of this.rows) row.remove();
    this.rows = [];
    this.setHeight();
    this.measure();
  }

  /** Pixels of a row. */
  get rowHeight() {
    return this.isNarrow ? narrowHeight : lineHeight;
  }

  get barHeight() {
    return this.isNarrow ? narrowBarHeight : lineHeight;
  }

  setHeight() {
    this.spacer.style.height = `${state.items.length * this.rowHeight}px`;
  }

  columnHeading({ key, title, hint, isFigure }) {
    const isSorted = state.sort.key === key;
    const order = isSorted ? (state.sort.isDescending ? 'descending' : 'ascending') : 'none';
    const button = element('button', { type: 'button', title: hint, tabindex: '-1' }, title, element('span', { class: 'arrow' }));
    button.addEventListener('click', () => {
      this.sortBy(key);
      // The keys go on from the list: Enter opens what is selected.
      this.place.focus({ preventScroll: true });
    });
    return element('div', { role: 'columnheader', 'aria-sort': order, class: isFigure ? 'figure' : '' }, button);
  }

  /** First the way in which one wants to see a column first; then the other; then the order of time again. */
  sortBy(key) {
    const isDescending = isDescendingFirst(key);
    if (state.sort.key !== key) state.setSort(key, isDescending);
    else if (state.sort.isDescending === isDescending) state.setSort(key, !isDescending);
    else state.setSort('start', false);
  }

  /** By each shown column in turn, then in the order of time again. */
  sortByNext() {
    const next = this.columns[this.columns.findIndex(({ key }) => key === state.sort.key) + 1];
    if (next) state.setSort(next.key, isDescendingFirst(next.key));
    else state.setSort('start', false);
  }

  // MARK: Rows

  relist() {
    for (const [index, heading] of [...this.heading.children].slice(0, this.columns.length).entries()) {
      const isSorted = state.sort.key === this.columns[index].key;
      heading.setAttribute('aria-sort', isSorted ? (state.sort.isDescending ? 'descending' : 'ascending') : 'none');
    }
    this.setHeight();
    this.place.setAttribute('aria-rowcount', String(state.items.length + 1));
    this.empty.hidden = state.items.length > 0;
    this.empty.textContent = capture.exchanges.length ? 'No exchange matches.' : feed.isLive ? 'No exchange yet.' : 'There are no exchanges in this capture.';
    this.redraw();
  }

  /** Everything anew at the next frame. */
  redraw() {
    for (const row of this.rows) row.item = null;
    this.isAxisStale = true;
    this.update();
  }

  /** To another width: with other columns, where it asks for them. */
  refit() {
    const keys = shownColumns(this.room).map(({ key }) => key);
    if (keys.join() !== [...this.keys].join() || this.isNarrow !== this.room < narrowRoom) {
      this.rebuild();
    } else {
      this.setTracks();
      this.measure();
    }
    // The details, once they are open, or other rows above leave less room: what was chosen stays in sight.
    if (this.isFollowed) this.showSelected();
  }

  /** Pixels of a row; while the table is hidden, those that it has at most. */
  get room() {
    return this.viewport.clientWidth || innerWidth;
  }

  setTracks() {
    const tracks = this.columns.map(({ width }) => width);
    if (!this.isNarrow) tracks.push(`minmax(${leastWaterfall(this.room)}px, 2.2fr)`);
    this.place.style.setProperty('--columns', tracks.join(' '));
  }

  measure() {
    const column = this.waterfallHeading.getBoundingClientRect();
    this.waterfallWidth = Math.max(0, Math.floor(column.width) - 12);
    this.waterfallLeft = column.left - this.viewport.getBoundingClientRect().left + 6;
    this.redraw();
  }

  draw() {
    const { scrollTop, clientHeight } = this.viewport;
    if (!clientHeight) return;
    const needed = Math.ceil(clientHeight / this.rowHeight) + 2 * rowMargin;
    while (this.rows.length < needed) this.rows.push(this.makeRow());
    const first = Math.max(0, Math.floor(scrollTop / this.rowHeight) - rowMargin);
    const last = Math.min(state.items.length, first + this.rows.length);
    const used = new Set();
    for (let index = first; index < last; index += 1) {
      const row = this.rows[index % this.rows.length];
      used.add(row);
      this.fill(row, index);
    }
    for (const row of this.rows) if (!used.has(row)) row.hidden = true;
    if (this.isAxisStale) drawAxis(this.axis, this.waterfallWidth, 26);
    this.isAxisStale = false;
    const active = this.rows.find((row) => !row.hidden && row.item?.number !== undefined && row.item.number === state.selected);
    if (active) this.place.setAttribute('aria-activedescendant', active.id);
    else this.place.removeAttribute('aria-activedescendant');
  }

  makeRow() {
    const cells = this.columns.map(({ isFigure, key }) =>
      element('div', { role: 'gridcell', class: `cell ${isFigure ? 'figure' : ''} cell-${key}` }),
    );
    const canvas = element('canvas', { class: 'waterfall', 'aria-hidden': 'true' });
    const row = element(
      'div',
      { role: 'row', class: 'row', id: `row-${this.rows.length}` },
      cells,
      element('div', { class: 'bars', role: 'gridcell' }, canvas, element('span', { class: 'off-screen' })),
    );
    Object.assign(row, { item: null, cells, canvas, bars: row.lastChild, pageTitle: element('div', { class: 'page-title', role: 'gridcell' }) });
    row.append(row.pageTitle);
    this.spacer.append(row);
    return row;
  }

  fill(row, index) {
    const item = state.items[index];
    const isSelected = item.number !== undefined && item.number === state.selected;
    row.setAttribute('aria-selected', String(isSelected));
    row.hidden = false;
    if (row.item === item && row.index === index) return;
    Object.assign(row, { item, index });
    row.style.transform = `translateY(${index * this.rowHeight}px)`;
    row.setAttribute('aria-rowindex', String(index + 2));
    row.classList.toggle('odd', index % 2 === 1);
    if (item instanceof Exchange) this.fillExchange(row, item);
    else this.fillPage(row, item);
  }

  fillExchange(row, exchange) {
    row.dataset.outcome = exchange.isFailed || exchange.status >= 500 ? 'bad' : exchange.status >= 400 ? 'warn' : 'good';
    row.classList.remove('page');
    this.columns.forEach(({ text }, index) => {
      const cell = row.cells[index];
      const shown = visibleText(text(exchange, this.keys));
      if (cell.textContent !== shown) cell.textContent = shown;
    });
    drawBar(row.canvas, exchange, this.waterfallWidth, this.barHeight);
    drawCritical(row.canvas, exchange, row.index, this.waterfallWidth, this.barHeight);
    row.bars.lastChild.textContent = critical.has(exchange) ? 'on the critical path' : '';
  }

  fillPage(row, item) {
    row.dataset.outcome = 'good';
    row.classList.add('page');
    row.bars.lastChild.textContent = '';
    row.pageTitle.replaceChildren(
      element('b', {}, visibleText(item.page.title || item.page.id || '')),
      ` ${countText(item.members.length, 'exchange', 'exchanges')}${item.note ?? ''}`,
    );
    drawPageBar(row.canvas, item, this.waterfallWidth, this.barHeight);
  }

  // MARK: Pointer and selection

  itemAt(event) {
    return event.target.closest('.row')?.item ?? null;
  }

  placeInWaterfall(event) {
    const place = event.clientX - this.viewport.getBoundingClientRect().left - this.waterfallLeft;
    return place >= 0 && place <= this.waterfallWidth ? place : null;
  }

  click(event) {
    const item = this.itemAt(event);
    if (item instanceof Exchange) state.select(item.number, true);
  }

  zoomTo(item) {
    if (!(item instanceof Exchange)) return;
    const margin = Math.max(item.time * 0.15, 0.05);
    state.setSpan(item.offset - margin, item.end + margin);
  }

  followSelection() {
    this.isFollowed = true;
    this.showSelected();
    this.update();
  }

  /** Scrolls to the selected row if it is out of sight. */
  showSelected() {
    const index = state.items.findIndex((item) => item.number === state.selected);
    if (index < 0) return;
    const { rowHeight } = this;
    const top = index * rowHeight;
    const { scrollTop, clientHeight } = this.viewport;
    if (top < scrollTop) this.viewport.scrollTop = top;
    else if (top + rowHeight > scrollTop + clientHeight) this.viewport.scrollTop = top + rowHeight - clientHeight;
  }

  get rowsOnScreen() {
    return Math.max(1, Math.floor(this.viewport.clientHeight / this.rowHeight) - 1);
  }
}
