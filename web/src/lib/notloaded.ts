/** The message where a part of the page did not come: the server is away, or has a new version of the page. */
export const notLoaded = 'This part of the page could not be loaded. Reload to go on; what is in the address is kept.'
