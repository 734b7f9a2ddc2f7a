// One exchange, in tabs.

const tabs = [
  { key: 'headers', title: 'Headers', isThere: () => true, make: headersTab },
  {
    key: 'request',
    title: 'Request',
    isThere: (exchange) => Boolean(exchange.entry.request.postData),
    make: (exchange) => bodyTab(exchange, 'request'),
  },
  { key: 'response', title: 'Response', isThere: () => true, make: (exchange) => bodyTab(exchange, 'response') },
  {
    key: 'messages',
    title: 'Messages',
    isThere: (exchange) => exchange.entry._webSocketMessages.length > 0 || exchange.hasEvents || Boolean(exchange.entry._grpc),
    make: messagesTab,
  },
  { key: 'timeline', title: 'Timeline', isThere: () => true, make: timelineTab },
  { key: 'connection', title: 'Connection', isThere: () => true, make: connectionTab },
  { key: 'compare', title: 'Compare', isThere: (exchange) => counterpartOf(exchange) !== null, make: compareTab },
  { key: 'raw', title: 'Raw', isThere: () => true, make: rawTab },
];

function rawTab(exchange) {
  const text = () => JSON.stringify(exchange.wholeEntry, null, 2);
  return [element('div', { class: 'body-bar' }, copyButton('Copy JSON', text)), jsonView(exchange.wholeEntry, 2)];
}

class Details {
  constructor(place, splitter) {
    this.place = place;
    this.splitter = splitter;
    this.shown = null;
    state.on(
      'selection tab',
      oncePerFrame(() => this.show()),
    );
    this.makeSplitter();
    this.watchHand();
  }

  show() {
    const exchange = state.isOpen ? state.selectedExchange : null;
    this.place.hidden = !exchange;
    this.splitter.hidden = !exchange;
    if (!exchange) {
      this.shown = null;
      return;
    }
    if (!feed.has(exchange)) return;
    const there = tabs.filter(({ isThere }) => isThere(exchange));
    const active = there.find(({ key }) => key === state.tab) ?? there[0];
    const shown = `${exchange.number} ${active.key} ${state.compared}`;
    if (this.shown === shown) return;
    this.shown = shown;
    const focused = this.focusables().indexOf(document.activeElement);
    const hadFocus = focused >= 0 && document.activeElement.role === 'tab';
    const scrolled = this.place.querySelector('#panel')?.scrollTop ?? 0;
    const isSame = this.exchange === exchange.number && this.tab === active.key;
    Object.assign(this, { exchange: exchange.number, tab: active.key });
    const list = element(
      'div',
      { class: 'tabs', role: 'tablist', 'aria-label': 'Details' },
      there.map((tab) => this.tabButton(tab, active)),
    );
    const panel = element('div', {
      class: 'panel',
      id: 'panel',
      role: 'tabpanel',
      'aria-labelledby': `tab-${active.key}`,
      tabindex: '0',
    });
    panel.append(...contentOf(active, exchange));
    this.place.replaceChildren(this.head(exchange), list, panel);
    if (isSame) panel.scrollTop = scrolled;
    if (hadFocus) this.focus();
    else if (isSame) this.focusables()[focused]?.focus();
  }

  /** Shows the same again, of which more is known by now; later, if that would undo a click or a selection. */
  refresh() {
    this.isStale = this.isHeld;
    if (this.isStale) return;
    this.shown = null;
    this.show();
  }

  /** Whether somebody is clicking here, or has selected text. */
  get isHeld() {
    const selection = document.getSelection();
    return this.isPressed || (!selection.isCollapsed && this.place.contains(selection.anchorNode));
  }

  watchHand() {
    this.isPressed = false;
    this.isStale = false;
    const goOn = () => {
      if (this.isStale) this.refresh();
    };
    const release = () => {
      this.isPressed = false;
      // The click comes after the release.
      setTimeout(goOn);
    };
    this.place.addEventListener('pointerdown', () => {
      this.isPressed = true;
    });
    addEventListener('pointerup', release);
    addEventListener('pointercancel', release);
    document.addEventListener('selectionchange', goOn);
  }

  focusables() {
    return [...this.place.querySelectorAll('button, a, summary, [tabindex]')];
  }

  /** Says why there are no details. */
  say(text) {
    this.shown = null;
    this.place.replaceChildren(element('p', { class: 'failure', role: 'alert' }, text));
  }

  focus() {
    this.place.querySelector('[role=tab][aria-selected=true]')?.focus();
  }

  head(exchange) {
    const button = (label, title, action) => {
      const made = element('button', { type: 'button', title, 'aria-label': title }, label);
      made.addEventListener('click', action);
      return made;
    };
    return element(
      'header',
      { class: 'details-head' },
      element(
        'div',
        { class: 'details-title' },
        element('span', { class: `outcome outcome-${outcomeClass(exchange)}` }, exchange.outcome),
        element('b', {}, exchange.method),
        element('span', { class: 'details-url', title: visibleText(exchange.url) }, visibleText(exchange.url)),
        button('✕', 'Close (Esc)', () => state.select(state.selected, false)),
      ),
      element(
        'div',
        { class: 'details-actions' },
        element(
          'span',
          { class: 'quiet' },
          `${exchange.isInFlight && feed.isLive ? 'in flight' : `#${exchange.number}`} · ${durationText(exchange.total)} · ${byteText(exchange.responseSize)}`,
        ),
        codeButton('curl', 'Copy as curl', exchange, curlCommand, curlRefusal),
        codeButton('fetch', 'fetch', exchange, fetchCode, fetchRefusal),
        codeButton('Python', 'Python', exchange, pythonCode, curlRefusal),
        this.compareButton(exchange),
        button('↑', 'Previous (k)', () => state.selectBy(-1)),
        button('↓', 'Next (j)', () => state.selectBy(1)),
      ),
      exchange.failure ? element('p', { class: 'failure', role: 'alert' }, visibleText(exchange.failureText)) : null,
      exchange.endText ? element('p', { class: 'quiet' }, visibleText(sentence(exchange.endText))) : null,
    );
  }

  compareButton({ number }) {
    const isCompared = state.compared === number;
    const title = isCompared ? 'Compare no more (x)' : 'Compare the exchanges that you select next with this one (x)';
    const button = element('button', { type: 'button', title, 'aria-pressed': String(isCompared) }, 'Compare');
    button.addEventListener('click', () => compareWith(number));
    return button;
  }

  tabButton({ key, title }, active) {
    const isActive = key === active.key;
    const tab = element(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `tab-${key}`,
        'aria-controls': 'panel',
        'aria-selected': String(isActive),
        tabindex: isActive ? '0' : '-1',
      },
      title,
    );
    tab.addEventListener('click', () => this.choose(key));
    tab.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      const all = [...tab.parentElement.children];
      this.choose(all[(all.indexOf(tab) + step + all.length) % all.length].id.slice('tab-'.length));
    });
    return tab;
  }

  choose(key) {
    state.tab = key;
    state.changed('tab');
  }

  /** The tab so many places on. */
  chooseBy(distance) {
    const all = [...this.place.querySelectorAll('[role=tab]')].map(({ id }) => id.slice('tab-'.length));
    const place = all.indexOf(state.tab);
    if (all.length) this.choose(all[(Math.max(place, 0) + distance + all.length) % all.length]);
  }

  makeSplitter() {
    const set = (share) => {
      const bounded = Math.min(Math.max(share, 0.2), 0.8);
      this.place.parentElement.style.setProperty('--details', `${(bounded * 100).toFixed(1)}%`);
      this.splitter.setAttribute('aria-valuenow', String(Math.round(bounded * 100)));
    };
    const shareNow = () => this.place.getBoundingClientRect().width / this.place.parentElement.getBoundingClientRect().width;
    this.splitter.addEventListener('pointerdown', (event) => {
      this.splitter.setPointerCapture(event.pointerId);
      const move = (moved) => {
        const { right, width } = this.place.parentElement.getBoundingClientRect();
        set((right - moved.clientX) / width);
      };
      this.splitter.addEventListener('pointermove', move);
      this.splitter.addEventListener('pointerup', () => this.splitter.removeEventListener('pointermove', move), { once: true });
    });
    this.splitter.addEventListener('keydown', (event) => {
      const step = { ArrowLeft: 0.04, ArrowRight: -0.04 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      set(shareNow() + step);
    });
  }
}

/** Copies the request in another program's words, or says what keeps it from being said in them. */
function codeButton(language, label, exchange, code, refuse) {
  const isInPart = lacksRequestBody(exchange);
  const copy = copyButton(label, () => code(exchange), isInPart ? 'Copied in part' : 'Copied');
  const refusal = refuse(exchange);
  copy.disabled = refusal !== null;
  const part = isInPart ? '. Its body is not all here' : '';
  copy.title = refusal === null ? `Copy as ${language}${part}` : `Not as ${language}: ${visibleText(refusal)}`;
  return copy;
}

/** A log may hold anything: a tab that cannot be made says so, and the others are there. */
function contentOf(tab, exchange) {
  try {
    return tab.make(exchange).filter(Boolean);
  } catch (error) {
    return [
      element(
        'p',
        { class: 'failure' },
        `This cannot be shown: ${visibleText(String(error.message))}. Raw has the entry as it is.`,
      ),
    ];
  }
}

function compareWith(number) {
  state.compare(number);
  toolbar.say(state.compared === null ? 'compared no more' : `select what to compare with #${number}`);
}

function outcomeClass(exchange) {
  if (exchange.isFailed || exchange.status >= 500) return 'bad';
  if (exchange.status >= 400) return 'warn';
  if ((exchange.ended || exchange.isInFlight) && exchange.status === 0) return 'ended';
  return exchange.status >= 300 ? 'moved' : 'good';
}

function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}
