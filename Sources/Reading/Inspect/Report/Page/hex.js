// Bytes: from and to base64, and as people look at them.

/** @returns the bytes, or `null` when the text is no base64 */
function bytesOfBase64(text) {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

/** The text that bytes are: UTF-8 without controls; `null` when they are none. */
function textOfBytes(bytes) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/.test(text) ? null : text;
  } catch {
    return null;
  }
}

function base64Text(text) {
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  for (let start = 0; start < bytes.length; start += 8192) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 8192));
  }
  return btoa(binary);
}

/** Sixteen bytes in a line: place, hexadecimal, ASCII. */
function hexLines(bytes, limit) {
  const lines = [];
  for (let start = 0; start < Math.min(bytes.length, limit); start += 16) {
    const line = [...bytes.subarray(start, Math.min(start + 16, limit))];
    const hex = line.map((byte) => byte.toString(16).padStart(2, '0'));
    const halves = [hex.slice(0, 8).join(' '), hex.slice(8).join(' ')].join('  ').padEnd(48);
    const ascii = line.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('');
    lines.push(`${start.toString(16).padStart(8, '0')}  ${halves}  ${ascii}`);
  }
  return lines.join('\n');
}
