// What only the live page has over the table: how it stands with the proxy, and follow, pause, clear and mark.

class LiveControls {
  constructor() {
    this.isFollowing = true;
    this.status = element('p', { id: 'live-status', role: 'status' });
    this.behind = element('p', { id: 'live-behind', class: 'quiet', hidden: true });
    this.queue = element('p', { id: 'live-queue', class: 'quiet', hidden: true });
    this.lost = element('p', { id: 'live-lost', role: 'status', hidden: true });
    this.follow = this.button('Follow', 'Stay at the newest exchange', () => this.toggleFollow());
    this.pause = this.button('Pause', 'Keep the view as it is; nothing is lost', () => feed.setPaused(!feed.isPaused));
    this.window = this.button('Last 60 s', 'List and draw only what was in flight in the last minute of the recording', () => feed.slide());
    this.clear = this.button('Clear', 'Take the exchanges that have ended out of the view', () => feed.clear());
    this.mark = this.button('Mark…', 'Begin a page of the log, as tapeline mark does', () => this.askForName());
    this.name = element('input', { type: 'text', maxlength: '200', 'aria-label': 'Name of the mark' });
    this.dialog = element(
      'dialog',
      { id: 'mark', 'aria-label': 'Mark' },
      element('h2', {}, 'Mark'),
      element('p', { class: 'quiet' }, 'Exchanges that begin from now on belong to a page with this name.'),
      this.name,
      element('div', { class: 'dialog-actions' }, this.button('Cancel', '', () => this.dialog.close()), this.markButton()),
    );
    this.name.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.sendMark();
    });
    const place = element(
      'section',
      { class: 'live', id: 'live', 'aria-label': 'Live' },
      this.status,
      this.behind,
      this.queue,
      this.lost,
      element('div', { class: 'choices', role: 'group', 'aria-label': 'View' }, this.follow, this.pause, this.clear, this.mark, this.window),
    );
    byId('notices').before(place);
    document.body.append(this.dialog);
    this.show();
    this.say('Connecting…');
  }

  button(label, title, action) {
    const button = element('button', { type: 'button', title: title || undefined }, label);
    button.addEventListener('click', action);
    return button;
  }

  markButton() {
    const button = this.button('Mark', '', () => this.sendMark());
    button.classList.add('primary');
    return button;
  }

  /** @param isGood whether the proxy answers */
  say(text, isGood = false) {
    this.status.textContent = text;
    this.status.dataset.state = isGood ? 'good' : 'bad';
  }

  /** Says how many exchanges have ended that are not here: a busy proxy lets its pages wait. */
  sayBehind(count) {
    this.behind.hidden = !count;
    this.behind.textContent = count ? `${countText(count, 'exchange', 'exchanges')} behind, while the proxy is busy` : '';
  }

  /** Says what waits for the disk, and what was lost by it. */
  sayQueue({ exchanges, bytes, limit, dropped }) {
    this.queue.hidden = !bytes;
    const lost = dropped ? `, ${countText(dropped, 'exchange', 'exchanges')} not recorded` : '';
    this.queue.textContent = bytes
      ? `${byteText(bytes)} of ${byteText(limit)} wait for the disk: ${countText(exchanges, 'exchange', 'exchanges')}${lost}`
      : '';
  }

  /** Says how many exchanges are not here and will not come. */
  sayLost(count) {
    this.lost.hidden = !count;
    this.lost.textContent = count ? `${countText(count, 'exchange is', 'exchanges are')} missing: their file was removed, or was one too many` : '';
  }

  show() {
    this.follow.setAttribute('aria-pressed', String(this.isFollowing));
    this.pause.setAttribute('aria-pressed', String(feed.isPaused));
    this.window.setAttribute('aria-pressed', String(feed.isSliding));
    this.pause.textContent = feed.isPaused && feed.news.length ? `Paused, ${feed.news.length.toLocaleString('en')} more` : 'Pause';
  }

  toggleFollow() {
    this.isFollowing = !this.isFollowing;
    this.show();
    if (this.isFollowing) feed.showNewest();
  }

  askForName() {
    this.name.value = '';
    this.dialog.showModal();
    this.name.focus();
  }

  async sendMark() {
    const name = this.name.value.trim();
    if (!name) return;
    this.dialog.close();
    toolbar.say((await feed.mark(name)) ? `marked: ${visibleText(name)}` : 'not marked');
  }
}
