const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long ago, in at most four cells: `now 5m 2h 3d 2w 6mo 1y`. A time to come (another machine's clock) is `now`. */
export function age(timeMs: number, nowMs: number): string {
  const passed = nowMs - timeMs;
  if (!Number.isFinite(passed)) return '';
  if (passed < MINUTE_MS) return 'now';
  if (passed < HOUR_MS) return `${Math.floor(passed / MINUTE_MS)}m`;
  if (passed < DAY_MS) return `${Math.floor(passed / HOUR_MS)}h`;
  if (passed < 7 * DAY_MS) return `${Math.floor(passed / DAY_MS)}d`;
  if (passed < 60 * DAY_MS) return `${Math.floor(passed / (7 * DAY_MS))}w`;
  if (passed < 365 * DAY_MS) return `${Math.floor(passed / (30 * DAY_MS))}mo`;
  return `${Math.min(99, Math.floor(passed / (365 * DAY_MS)))}y`;
}
