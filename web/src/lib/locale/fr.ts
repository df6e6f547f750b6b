export { fr as dates } from 'date-fns/locale/fr'
export { capitalNouns, categories } from './en'
