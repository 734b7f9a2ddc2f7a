// JSON as a tree of lines that can be folded. Of what is folded nothing is made before it is opened.

/** Containers of more members than this show them piece by piece. */
const membersAtOnce = 200;

function jsonView(value, openDepth = 2) {
  return element('div', { class: 'json' }, jsonNode(null, value, openDepth, true));
}

function jsonNode(name, value, openDepth, isLast) {
  const label = name === null ? [] : [element('span', { class: 'json-name' }, visibleText(JSON.stringify(name))), ': '];
  const comma = isLast ? '' : ',';
  if (value === null || typeof value !== 'object') {
    return element('div', { class: 'json-line' }, label, jsonScalar(value), comma);
  }
  const isArray = Array.isArray(value);
  const members = isArray ? value.map((one) => [null, one]) : Object.entries(value);
  const [opening, closing] = isArray ? '[]' : '{}';
  if (!members.length) return element('div', { class: 'json-line' }, label, opening, closing, comma);
  const count = isArray ? countText(members.length, 'element', 'elements') : countText(members.length, 'member', 'members');
  const content = element('div', { class: 'json-members' });
  const node = element(
    'details',
    { class: 'json-node' },
    element(
      'summary',
      {},
      label,
      opening,
      element('span', { class: 'json-count' }, ` … ${closing}${comma} `, element('i', {}, count)),
    ),
    content,
    element('div', { class: 'json-line' }, closing, comma),
  );
  const fill = () => {
    if (!content.childElementCount) appendMembers(content, members, 0, openDepth - 1);
  };
  node.addEventListener('toggle', () => {
    if (node.open) fill();
  });
  if (openDepth > 0) {
    fill();
    node.open = true;
  }
  return node;
}

function appendMembers(content, members, start, openDepth) {
  const end = Math.min(start + membersAtOnce, members.length);
  content.append(
    ...members
      .slice(start, end)
      .map(([name, value], index) => jsonNode(name, value, openDepth, start + index === members.length - 1)),
  );
  if (end === members.length) return;
  const more = element('button', { type: 'button', class: 'more' }, `${members.length - end} more`);
  more.addEventListener('click', () => {
    more.remove();
    appendMembers(content, members, end, openDepth);
  });
  content.append(more);
}

function jsonScalar(value) {
  const kind = value === null ? 'null' : typeof value;
  return element('span', { class: `json-${kind}` }, visibleText(JSON.stringify(value)));
}
