/**
 * A short glide from one place of the viewport to another: the zoom is even to the eye and the
 * point that both places share stays still. Pure: time in, place out. Called by stage.js.
 */

/**
 * @param {import("./viewport.js").Place} from  @param {import("./viewport.js").Place} to
 * @param {number} midX  @param {number} midY the middle of the screen
 * @returns {(progress: number) => import("./viewport.js").Place} progress in 0…1
 */
export function glide(from, to, midX, midY) {
  const [fromX, fromY] = [(midX - from.x) / from.scale, (midY - from.y) / from.scale];
  const [toX, toY] = [(midX - to.x) / to.scale, (midY - to.y) / to.scale];
  return (progress) => {
    if (progress >= 1) return to;
    const eased = 1 - (1 - progress) ** 3;
    const scale = from.scale * (to.scale / from.scale) ** eased;
    const rest = remaining(from.scale, to.scale, scale, eased);
    const [x, y] = [toX + (fromX - toX) * rest, toY + (fromY - toY) * rest];
    return { scale, x: midX - x * scale, y: midY - y * scale };
  };
}

function remaining(from, to, scale, eased) {
  const isPan = Math.abs(from / to - 1) < 1e-3;
  return isPan ? 1 - eased : (1 / scale - 1 / to) / (1 / from - 1 / to);
}
