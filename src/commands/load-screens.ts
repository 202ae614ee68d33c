/**
 * Loads screens. Colours are decided when they load, by stdout alone: where it is taken (`$(bough pick)`) and the screens
 * are drawn elsewhere, it is said for that moment what it cannot see. Children never get to know.
 */
export async function loadScreens<T>(load: () => Promise<T>): Promise<T> {
  const { env, stdout } = process;
  const isDecided = stdout.isTTY || env['FORCE_COLOR'] !== undefined || env['NO_COLOR'] !== undefined;
  if (!isDecided) env['FORCE_COLOR'] = env['COLORTERM'] === 'truecolor' ? '3' : '2';
  try {
    return await load();
  } finally {
    if (!isDecided) delete env['FORCE_COLOR'];
  }
}
