/** Minutes without any items or labels are not reported: the line falls to zero where a pause begins and where it ends. */
export function everyMinute(minutes) {
  const zero = (at) => ({ at, items: 0, labels: 0 });
  return minutes.flatMap((minute, index) => {
    const pause = index ? minute.at - minutes[index - 1].at : 60;
    if (pause <= 60) return [minute];
    return [zero(minutes[index - 1].at + 60), ...(pause > 120 ? [zero(minute.at - 60)] : []), minute];
  });
}
