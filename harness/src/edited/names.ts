/** The name of a lock that is one file of its author. */
export const OWN_LOCK = 'own';
