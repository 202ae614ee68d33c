import { useApp, useStdin, useStdout } from 'ink';
import { useEffect, useRef } from 'react';

/**
 * Gives the terminal away for a moment: to the shell until `fg` (`suspend`), or only to draw everything anew (`redraw`). The
 * latter is also done when the window was resized and has its old size again before anybody looked: what the terminal cut off
 * meanwhile is gone, and nothing else would tell.
 */
export function useSuspend(): (why: 'suspend' | 'redraw') => void {
  const { suspendTerminal } = useApp();
  const { isRawModeSupported } = useStdin();
  const isAway = useRef(false);
  // Ink draws everything anew when it gets the terminal back; it takes no second request meanwhile.
  const leaveTerminal = async (work: () => Promise<void>): Promise<void> => {
    if (!isRawModeSupported || isAway.current) return;
    isAway.current = true;
    await suspendTerminal(work);
    isAway.current = false;
  };
  const { stdout } = useStdout();
  const leave = useRef(leaveTerminal);
  leave.current = leaveTerminal;
  useEffect(() => {
    const sizeNow = (): string => ('columns' in stdout && 'rows' in stdout ? `${stdout.columns}×${stdout.rows}` : '');
    let known = sizeNow();
    const resized = (): void => {
      const size = sizeNow();
      if (size === known) void leave.current(noWork);
      known = size;
    };
    process.on('SIGWINCH', resized);
    return () => {
      process.off('SIGWINCH', resized);
    };
  }, [stdout]);
  return (why) => void leaveTerminal(why === 'suspend' ? stopProcess : noWork);
}

function noWork(): Promise<void> {
  return Promise.resolve();
}

/** Stops the process group as Ctrl+Z does, until `fg`. */
async function stopProcess(): Promise<void> {
  // Without a timer nothing keeps the process alive meanwhile, and Ink would end.
  const alive = setInterval(() => {}, 1_000);
  const continued = new Promise<void>((resolve) => {
    process.once('SIGCONT', resolve);
  });
  process.kill(0, 'SIGTSTP');
  await continued;
  clearInterval(alive);
}
