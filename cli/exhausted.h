// Too little memory in other people's libraries: the program ends with a message.
#ifndef CLI_EXHAUSTED_H
#define CLI_EXHAUSTED_H

// The work is done: what libraries still ask for while the program ends changes nothing about it.
void exhausted_no_more(int status);

#endif
