// The body of a request or a response: as a tree, as text, as a picture, or as bytes.

/** Longer texts are shown so far until one asks for all. */
const textAtOnce = 200000;
const hexAtOnce = 4096;

// Pictures of these types are shown from the recorded bytes. In a picture no script runs and nothing is loaded.
const pictureTypes = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
  'image/x-icon',
  'image/vnd.microsoft.icon',
  'image/svg+xml',
]);

function bodyTab(exchange, side) {
  const body = exchange.body(side);
  const { request, response } = exchange.entry;
  const holder = side === 'request' ? request.postData : response.content;
  const parts = [
    bodyNotes(body, holder, side === 'request' ? exchange.requestSize : Math.max(exchange.contentSize, exchange.responseSize)),
  ];
  const params = side === 'request' ? holder?.params : null;
  const leftOut = Number(holder?._paramsLeftOut) || 0;
  if (leftOut) parts.push(element('p', { class: 'notes' }, element('span', {}, leftOutText(leftOut, 'field'))));
  if (params?.length) {
    parts.push(
      section(
        `Fields (${params.length})`,
        [],
        factTable(
          params.map((param) => [param.name, param.value ?? [param.fileName, param.contentType].filter(Boolean).join(', ')]),
        ),
      ),
    );
  }
  if (body?.text) parts.push(bodyView(body));
  return parts;
}

/** What must be known of a body to trust what is shown of it. */
function bodyNotes(body, holder, size) {
  const notes = [];
  if (holder?.mimeType && holder.mimeType !== 'x-unknown') notes.push(holder.mimeType);
  if (size > 0) notes.push(byteText(size));
  if (!body && holder?._file) notes.push(`kept in ${holder._file}, and not in this report`);
  else if (!body && size > 0) notes.push('not in the capture');
  else if (!body) notes.push('no body');
  if (body?.leftOut > 0)
    notes.push(body.text ? `only the beginning is in this report: ${byteText(body.leftOut)} are not` : 'left out of this report');
  if (holder?._truncated) notes.push(`the capture lacks ${byteText(holder._truncated)} of it`);
  if (holder?._decodeError) notes.push(`not decoded: ${holder._decodeError}`);
  if (holder?._decodeTruncated) notes.push('decoded only in part');
  return element(
    'p',
    { class: 'notes' },
    notes.map((note) => element('span', {}, visibleText(String(note)))),
  );
}

function bodyView(body) {
  const forms = bodyForms(body);
  const content = element('div', { class: 'body-content' });
  const buttons = forms.map(({ title, make }) => {
    const button = element('button', { type: 'button', 'aria-pressed': 'false' }, title);
    button.addEventListener('click', () => {
      for (const other of buttons) other.setAttribute('aria-pressed', String(other === button));
      content.replaceChildren(make());
    });
    return button;
  });
  const bar = element(
    'div',
    { class: 'body-bar' },
    element('div', { class: 'choices', role: 'group', 'aria-label': 'Show as' }, buttons),
    copyButton(body.isBase64 ? 'Copy base64' : 'Copy', () => body.text),
  );
  buttons[0].click();
  return element('div', { class: 'body' }, bar, content);
}

/** How the body can be shown, the best way first. */
function bodyForms(body) {
  const forms = [];
  const type = mediaType(body.mime);
  const bytes = () => (body.isBase64 ? bytesOfBase64(body.text) : new TextEncoder().encode(body.text));
  if (pictureTypes.has(type) && body.leftOut === 0) forms.push({ title: 'Picture', make: () => picture(type, body) });
  const json = body.isBase64 || body.leftOut > 0 ? undefined : jsonOf(body.text, type);
  if (json !== undefined) forms.push({ title: 'Pretty', make: () => jsonView(json) });
  if (!body.isBase64) forms.push({ title: 'Text', make: () => textView(body.text) });
  forms.push({ title: 'Hex', make: () => hexView(bytes()) });
  const hiddenText = body.isBase64 ? textOfBytes(bytes() ?? new Uint8Array()) : null;
  if (hiddenText) forms.push({ title: 'Text', make: () => textView(hiddenText) });
  return forms;
}

function jsonOf(text, type) {
  if (!/json/.test(type) && !/^\s*[[{]/.test(text)) return undefined;
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function picture(type, body) {
  const data = body.isBase64 ? body.text.replace(/[^A-Za-z0-9+/=]/g, '') : base64Text(body.text);
  const image = element('img', { alt: 'The recorded picture', class: 'picture' });
  const size = element('p', { class: 'notes' });
  image.addEventListener('load', () => {
    size.textContent = `${image.naturalWidth} × ${image.naturalHeight}`;
  });
  image.addEventListener('error', () => {
    size.textContent = 'This browser cannot show these bytes as a picture.';
  });
  image.src = `data:${type};base64,${data}`;
  return element('div', { class: 'picture-frame' }, image, size);
}

function textView(text) {
  const view = element('pre', { class: 'text', tabindex: '0' }, visibleLines(text.slice(0, textAtOnce)));
  if (text.length <= textAtOnce) return view;
  const more = element(
    'button',
    { type: 'button', class: 'more' },
    `Show all of ${countText(text.length, 'character', 'characters')}`,
  );
  more.addEventListener('click', () => {
    view.textContent = visibleLines(text);
    more.remove();
  });
  return element('div', {}, view, more);
}

function hexView(bytes) {
  if (!bytes) return element('p', { class: 'notes' }, element('span', {}, 'The capture says base64, but this is not.'));
  const rest = bytes.length - hexAtOnce;
  return element(
    'div',
    {},
    element('pre', { class: 'text', tabindex: '0' }, hexLines(bytes, hexAtOnce)),
    rest > 0 ? element('p', { class: 'notes' }, element('span', {}, `${byteText(rest)} more`)) : null,
  );
}
