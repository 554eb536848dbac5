// Placeholder: the program comes with branch d18.
// Your work starts here.
