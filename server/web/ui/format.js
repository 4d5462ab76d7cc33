/** Numbers as people read them. Pure; called by texts.js. */

const SECOND_MS = 1_000;

/**
 * @param {number} ms
 * @returns {string} "0:42", "12:05", "3:20:00" or "12 days"; rounded up, so that 0:00 means now
 */
export function clock(ms) {
  const seconds = Math.ceil(ms / SECOND_MS);
  if (seconds >= 86_400) return plural(Math.ceil(seconds / 86_400), "day");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const tail = String(seconds % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${minutes}:${tail}`;
}

export const plural = (count, one, many = `${one}s`) =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
