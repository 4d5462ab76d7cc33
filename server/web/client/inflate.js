/**
 * Raw deflate by the platform's own decompressor; bounded by the size that the caller expects.
 * Called by sync.js for snapshot bands.
 */

/**
 * @param {Uint8Array<ArrayBuffer>} deflated
 * @param {number} sizeBytes what it must unpack to
 * @returns {Promise<Uint8Array>}
 */
export async function inflate(deflated, sizeBytes) {
  const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const reader = stream.getReader();
  const bytes = new Uint8Array(sizeBytes);
  let filled = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (filled + value.length > sizeBytes) {
      await reader.cancel();
      throw new RangeError(`a band unpacks to more than ${sizeBytes} bytes`);
    }
    bytes.set(value, filled);
    filled += value.length;
  }
  if (filled !== sizeBytes) throw new RangeError(`a band unpacks to ${filled} of ${sizeBytes} bytes`);
  return bytes;
}
