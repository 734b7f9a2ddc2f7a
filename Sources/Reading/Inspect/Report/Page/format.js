// Figures and texts as people read them.

/** `0.41 ms`, `12.3 ms`, `1.23 s`, `12 m 03 s`; a dash for what is not known. */
function durationText(milliseconds) {
  if (typeof milliseconds !== 'number' || !(milliseconds >= 0)) return '–';
  if (milliseconds < 9.995) return `${milliseconds.toFixed(2)} ms`;
  if (milliseconds < 99.95) return `${milliseconds.toFixed(1)} ms`;
  if (milliseconds < 999.5) return `${milliseconds.toFixed(0)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 9.995) return `${seconds.toFixed(2)} s`;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} m ${String(whole % 60).padStart(2, '0')} s`;
  return `${Math.floor(whole / 3600)} h ${String(Math.floor(whole / 60) % 60).padStart(2, '0')} m`;
}

/** With all that a log has: `12.345 ms`. */
function exactDurationText(milliseconds) {
  return typeof milliseconds === 'number' && milliseconds >= 0 ? `${milliseconds.toFixed(3)} ms` : '–';
}

/** In powers of 1024: `999 B`, `1.2 KiB`. */
function byteText(count) {
  if (typeof count !== 'number' || !(count >= 0)) return '–';
  if (count < 1000) return `${count} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = count / 1024;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(value < 9.95 ? 1 : 0)} ${units[unit]}`;
}

function countText(count, singular, plural) {
  return `${count.toLocaleString('en')} ${count === 1 ? singular : plural}`;
}

function shareText(part, whole) {
  return whole > 0 ? `${((100 * part) / whole).toFixed(part > 0 && part / whole < 0.0995 ? 1 : 0)} %` : '–';
}

/** Microseconds since 1970 as the reader's clock shows them, none lost: `2026-01-02 04:04:05.678901 +01:00`; or in UTC, as the report says. */
function dateText(microseconds) {
  if (microseconds === null) return '–';
  const seconds = Math.floor(microseconds / 1e6);
  const minutesEast = capture.header.utc ? 0 : -new Date(seconds * 1000).getTimezoneOffset();
  const date = new Date((seconds + minutesEast * 60) * 1000);
  if (Number.isNaN(date.getTime())) return '–';
  const fraction = String(microseconds - seconds * 1e6).padStart(6, '0');
  return `${date.toISOString().slice(0, 19).replace('T', ' ')}.${fraction} ${zoneText(minutesEast)}`;
}

/** The distance from UTC. */
function zoneText(minutesEast) {
  if (capture.header.utc) return 'UTC';
  const [hours, minutes] = [Math.trunc(Math.abs(minutesEast) / 60), Math.abs(minutesEast) % 60].map((part) => String(part).padStart(2, '0'));
  return `${minutesEast < 0 ? '-' : '+'}${hours}:${minutes}`;
}

// Controls, and what turns the direction of text or hides in it: shown by name, so that no text looks like another.
const hiddenCharacters =
  /[\u0000-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB]/g;
const hiddenButLines = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFFF9-\uFFFB]/g;

function nameOfCharacter(character) {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/** A text of a stranger for one line. */
function visibleText(text) {
  return text.replace(hiddenCharacters, nameOfCharacter);
}

/** A text of a stranger in which lines and tabs stay. */
function visibleLines(text) {
  return text.replace(/\r\n/g, '\n').replace(hiddenButLines, nameOfCharacter);
}
