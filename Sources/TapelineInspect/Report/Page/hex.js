// Octets: from and to base64, and as people look at them.

/** @returns the octets, or `null` when the text is no base64 */
function octetsOfBase64(text) {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

/** The text that octets are: UTF-8 without controls; `null` when they are none. */
function textOfOctets(octets) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(octets);
    return /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/.test(text) ? null : text;
  } catch {
    return null;
  }
}

function base64Text(text) {
  const octets = new TextEncoder().encode(text);
  let binary = '';
  for (let start = 0; start < octets.length; start += 8192) {
    binary += String.fromCharCode(...octets.subarray(start, start + 8192));
  }
  return btoa(binary);
}

/** Sixteen octets in a line: place, hexadecimal, ASCII. */
function hexLines(octets, limit) {
  const lines = [];
  for (let start = 0; start < Math.min(octets.length, limit); start += 16) {
    const line = [...octets.subarray(start, Math.min(start + 16, limit))];
    const hex = line.map((octet) => octet.toString(16).padStart(2, '0'));
    const halves = [hex.slice(0, 8).join(' '), hex.slice(8).join(' ')].join('  ').padEnd(48);
    const ascii = line.map((octet) => (octet >= 0x20 && octet < 0x7f ? String.fromCharCode(octet) : '·')).join('');
    lines.push(`${start.toString(16).padStart(8, '0')}  ${halves}  ${ascii}`);
  }
  return lines.join('\n');
}
