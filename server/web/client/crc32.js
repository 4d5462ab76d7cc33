/**
 * CRC-32 as zlib computes it, four bytes a step. Pure; called by board.js.
 */

const TABLES = makeTables();

/**
 * @param {Uint8Array} bytes
 * @returns {number} the unsigned CRC-32
 */
export function crc32(bytes) {
  const [t0, t1, t2, t3] = TABLES;
  const whole = bytes.length - (bytes.length % 4);
  let crc = 0xffffffff;
  let at = 0;
  for (; at < whole; at += 4) {
    crc ^= bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    crc =
      t3[crc & 0xff] ^ t2[(crc >>> 8) & 0xff] ^ t1[(crc >>> 16) & 0xff] ^ t0[(crc >>> 24) & 0xff];
  }
  for (; at < bytes.length; at++) crc = t0[(crc ^ bytes[at]) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function makeTables() {
  const tables = [new Uint32Array(256), new Uint32Array(256), new Uint32Array(256), new Uint32Array(256)];
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
    tables[0][byte] = crc;
  }
  for (let k = 1; k < 4; k++) {
    for (let byte = 0; byte < 256; byte++) {
      const crc = tables[k - 1][byte];
      tables[k][byte] = tables[0][crc & 0xff] ^ (crc >>> 8);
    }
  }
  return tables;
}
