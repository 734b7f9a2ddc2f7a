// Elements are made by these functions alone: text goes in as text, never as markup.

/**
 * Makes an element. Of `properties`, functions are listeners (`onclick`), `style` holds custom properties, `class`, `role`,
 * `aria-…` and the like are attributes; `undefined` and `false` are left out.
 */
function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') made.addEventListener(key.slice(2), value);
    else if (key === 'style') for (const [property, text] of Object.entries(value)) made.style.setProperty(property, text);
    else made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

function byId(id) {
  return document.getElementById(id);
}

/** An element of SVG. */
function drawing(name, attributes, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A button that copies what `text` returns, and says so. */
/** A text that is null is not copied. */
function copyButton(label, text, done = 'Copied') {
  const button = element('button', { type: 'button', class: 'copy' }, label);
  button.addEventListener('click', async () => {
    const copied = text();
    button.textContent = copied !== null && (await copyText(copied)) ? done : 'Not copied';
    setTimeout(() => {
      button.textContent = label;
    }, 1200);
  });
  return button;
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // From a file, browsers may refuse the clipboard to scripts; a selection can be copied nevertheless.
    const area = element('textarea', { class: 'off-screen', 'aria-hidden': 'true' });
    area.value = text;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    return isCopied;
  }
}

/** The colour that a custom property has in the theme of the moment. */
const themeColors = {
  known: new Map(),
  of(name) {
    if (!this.known.has(name)) {
      const probe = element('i', { hidden: true, style: { color: `var(--${name})` } });
      document.body.append(probe);
      this.known.set(name, getComputedStyle(probe).color);
      probe.remove();
    }
    return this.known.get(name);
  },
  forget() {
    this.known.clear();
  },
};

/** Calls `work` once before the next frame, however often it is asked for. */
function oncePerFrame(work) {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      work();
    });
  };
}

/**
 * Fits a canvas to its place on the screen; returns its context, in CSS pixels. What is drawn is small and drawn once: a graphics
 * card, or a program that plays one, would cost more than it saves.
 */
function fittedContext(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const pixelWidth = Math.max(1, Math.round(width * ratio));
  const pixelHeight = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) {
    canvas.width = pixelWidth;
    canvas.height = pixelHeight;
  }
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}
