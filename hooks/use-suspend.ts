import { useApp, useStdin } from 'ink';
import { useRef } from 'react';

/** Gives the terminal away for a moment: to the shell until `fg` (`suspend`), or only to draw everything anew (`redraw`). */
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
