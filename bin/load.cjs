/** Imports a module by its path from this folder. */
module.exports = (file) => import(file);
