/* Holds the namespaces of a pod. As process 1 of a shared process namespace it must also collect what other containers leave. */
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static void stop(int signal_number) {
    (void)signal_number;
    _exit(0);
}

static void reap(int signal_number) {
    (void)signal_number;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue;
}

int main(void) {
    struct sigaction stopping = {.sa_handler = stop};
    struct sigaction reaping = {.sa_handler = reap, .sa_flags = SA_NOCLDSTOP};
    if (sigaction(SIGINT, &stopping, NULL) || sigaction(SIGTERM, &stopping, NULL) || sigaction(SIGCHLD, &reaping, NULL))
        return 1;
    reap(0);
    for (;;)
        pause();
}
