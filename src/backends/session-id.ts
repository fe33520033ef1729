/** The ids of sessions, for every store alike. */

/** 128 random bits as 32 hex digits. All randomness comes from the environment, so that a simulation follows from its seed. */
export function makeSessionId(random: () => number): string {
  const word = () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0')
  return word() + word() + word() + word()
}
