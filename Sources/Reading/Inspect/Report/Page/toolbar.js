// What stands over the table: title, filter, notices, shortcuts, and the dialogs.

const views = ['exchanges', 'connections', 'summary'];

class Toolbar {
  constructor() {
    this.input = byId('filter');
    this.message = byId('filter-message');
    /** Milliseconds that the last filter took. */
    this.filterCost = 0;
    this.input.addEventListener('input', () => this.inputChanged());
    state.on('list', () => this.showCount());
    state.on('view', () => this.showView());
    for (const view of views) byId(`view-${view}`).addEventListener('click', () => state.show(view));
    byId('open-help').addEventListener('click', () => byId('help').showModal());
    byId('open-search').addEventListener('click', () => search.open());
    byId('save').addEventListener('click', () => saveListed());
    byId('open-columns').addEventListener('click', () => this.chooseColumns());
    byId('switch-theme').addEventListener('click', () => this.switchTheme());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.themeChanged());
    this.showOrigin();
    this.showNotices();
    this.showShortcuts();
    // A click beside a dialog closes it.
    for (const dialog of document.querySelectorAll('dialog')) {
      dialog.addEventListener('click', (event) => {
        if (event.target === dialog) dialog.close();
      });
    }
  }

  setFilter(text) {
    this.input.value = text;
    state.setFilter(text);
  }

  /** Lists at each letter, or, where that takes long, when the hand rests. */
  inputChanged() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const began = performance.now();
      state.setFilter(this.input.value);
      this.filterCost = performance.now() - began;
    }, this.filterCost > 100 ? 120 : 0);
  }

  showCount() {
    this.message.hidden = !state.failure;
    this.message.textContent = state.failure ?? '';
    this.input.setAttribute('aria-invalid', String(Boolean(state.failure)));
    const [shown, whole] = [state.listed.length, capture.exchanges.length];
    if (!this.saying) {
      byId('count').textContent =
        shown === whole
          ? countText(whole, 'exchange', 'exchanges')
          : `${shown.toLocaleString('en')} of ${whole.toLocaleString('en')}`;
    }
    for (const button of byId('shortcuts').querySelectorAll('[data-filter]')) {
      const { filter } = button.dataset;
      button.setAttribute('aria-pressed', String(filter === state.filter && (filter !== '' || !state.types.size)));
    }
    for (const button of byId('shortcuts').querySelectorAll('[data-type]')) {
      button.setAttribute('aria-pressed', String(state.types.has(button.dataset.type)));
    }
  }

  /** Says something for a moment, where the count stands. */
  say(text) {
    byId('count').textContent = text;
    clearTimeout(this.saying);
    this.saying = setTimeout(() => {
      this.saying = undefined;
      this.showCount();
    }, 1500);
  }

  showView() {
    byId('exchanges').hidden = state.view === 'summary';
    byId('summary').hidden = state.view !== 'summary';
    if (state.view !== 'summary') byId('exchanges').setAttribute('aria-labelledby', `view-${state.view}`);
    for (const view of views) {
      const isShown = state.view === view;
      byId(`view-${view}`).setAttribute('aria-selected', String(isShown));
      byId(`view-${view}`).tabIndex = isShown ? 0 : -1;
    }
  }

  showOrigin() {
    const { creator, browser, version } = capture.header;
    const made = `${feed.isLive ? 'live from' : 'report by'} tapeline ${version}`;
    byId('origin').textContent = [
      capture.start !== null && dateText(capture.start).replace(/\.\d+/, ''),
      durationText(capture.duration),
      visibleText([creator, browser].filter(Boolean).join(', ')),
      made,
    ]
      .filter(Boolean)
      .join(' · ');
  }

  /** What the reader must know to judge what is not here. */
  showNotices() {
    const { dropped, bodies, bodyLimit, comment } = capture.header;
    const { leftOut, cutBodies } = capture.outcome ?? { leftOut: 0, cutBodies: 0 };
    const notices = [];
    if (!capture.outcome) notices.push('This file ends early: it is incomplete.');
    if (leftOut)
      notices.push(
        `The report has reached its maximum size: ${countText(leftOut, 'exchange is', 'exchanges are')} left out, the quickest without an error. ` +
          'Use --max-size or --filter.',
      );
    if (feed.leftOut)
      notices.push(`${countText(feed.leftOut, 'exchange is', 'exchanges are')} no more in this view, which keeps the latest. The log has all.`);
    if (bodies === 'none') notices.push('Bodies were left out of this report (--bodies none).');
    else if (bodyLimit !== undefined)
      notices.push(
        `${countText(cutBodies, 'body was', 'bodies were')} cut to ${byteText(bodyLimit)} to keep the report small (--max-size).`,
      );
    else if (bodies === 'text' && cutBodies)
      notices.push(
        `${countText(cutBodies, 'body that is not text was', 'bodies that are not text were')} left out (--bodies text).`,
      );
    for (const [what, count] of Object.entries(dropped ?? {})) {
      if (count)
        notices.push(`The capture itself lacks ${count} ${visibleText(what)}: the recorder could not keep up, or could not write.`);
    }
    if (comment) notices.push(visibleText(comment));
    byId('notices').replaceChildren(...notices.map((notice) => element('p', {}, notice)));
  }

  showShortcuts() {
    const p95 = percentile(sortedTimes(capture.exchanges, 'total'), 95) ?? 0;
    const slow = p95 >= 1000 ? `total > ${(p95 / 1000).toFixed(1)}s` : `total > ${Number(p95.toPrecision(2))}ms`;
    const filters = [
      ['All', ''],
      ['Failed', 'error'],
      ['4xx 5xx', 'status >= 400'],
      ['Slowest 5 %', slow],
      ['New connections', 'not reused and connect > 0'],
      ['Without tunnels', 'method != "CONNECT" or type == "websocket"'],
    ];
    const there = filters.filter(
      ([title, filter]) =>
        !filter || ((title !== 'Slowest 5 %' || p95 > 0) && capture.exchanges.some(compiledFilter(filter).test)),
    );
    const buttons = there
      .filter(([title]) => title !== 'Without tunnels' || capture.exchanges.some(({ isTunnel }) => isTunnel))
      .map(([title, filter]) => {
        const button = element(
          'button',
          { type: 'button', 'aria-pressed': 'false', 'data-filter': filter, title: filter },
          title,
        );
        button.addEventListener('click', () => {
          if (!filter && state.types.size) state.setTypes([]);
          this.setFilter(filter);
        });
        return button;
      });
    const legend = phaseNames.map((phase) =>
      element('span', { title: phaseHints[phase] }, element('span', { class: `swatch swatch-${phase}` }), phaseTitles[phase]),
    );
    byId('shortcuts').replaceChildren(...[
      element('div', { class: 'choices', role: 'group', 'aria-label': 'Filters' }, buttons),
      this.typeChoices(),
      element('div', { class: 'legend', role: 'group', 'aria-label': 'Phases', tabindex: '0' }, legend),
    ].filter(Boolean));
  }

  /** What there is of each type can be chosen, several of them too, beside the filter; none is all. */
  typeChoices() {
    const counts = new Map(countsOf(capture.exchanges.map(({ kind }) => kind)));
    if (counts.size < 2) return null;
    const buttons = capture.header.types
      .filter(({ key }) => counts.has(key))
      .map(({ key, title }) => {
        const hint = countText(counts.get(key), 'exchange', 'exchanges');
        const button = element('button', { type: 'button', 'aria-pressed': 'false', 'data-type': key, title: hint }, title);
        button.addEventListener('click', () => state.setTypes(new Set([key]).symmetricDifference(state.types)));
        return button;
      });
    return element('div', { class: 'choices', role: 'group', 'aria-label': 'Types' }, buttons);
  }

  chooseColumns() {
    const shown = state.columns ?? usualColumns;
    const boxes = allColumns.map(({ key, title, hint }) => {
      const box = element('input', { type: 'checkbox', value: key });
      box.checked = shown.includes(key);
      box.addEventListener('change', () => {
        const chosen = boxes.filter(([one]) => one.checked).map(([one]) => one.value);
        state.columns = chosen.join() === usualColumns.join() ? null : chosen;
        state.changed('columns');
      });
      return [box, element('label', {}, box, element('b', {}, title), element('small', {}, hint))];
    });
    const usual = element('button', { type: 'button' }, 'The usual ones');
    usual.addEventListener('click', () => {
      state.columns = null;
      state.changed('columns');
      byId('columns').close();
    });
    byId('columns').replaceChildren(
      element('h2', {}, 'Columns'),
      element(
        'div',
        { class: 'column-list' },
        boxes.map(([, label]) => label),
      ),
      element('div', { class: 'dialog-actions' }, usual, closeButton('columns')),
    );
    byId('columns').showModal();
  }

  switchTheme() {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = isDark ? 'light' : 'dark';
    this.themeChanged();
  }

  themeChanged() {
    themeColors.forget();
    state.changed('theme');
  }
}

function closeButton(id) {
  const button = element('button', { type: 'button', class: 'primary' }, 'Close');
  button.addEventListener('click', () => byId(id).close());
  return button;
}
